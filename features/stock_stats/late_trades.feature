Feature: Late trades
  Trades may come out of order. A window takes them until it is closed: when a trade has been seen whose time is the window's end,
  and the time of grace after it.

  Background:
    Given the stock statistics

  Scenario: A trade that comes out of order counts in the windows that are still open
    When these trades come in
      | ticker | price | at   |
      | IBM    | 100   | 12 s |
      | IBM    | 90    | 9 s  |
    Then the statistics of IBM from 8 s are at last
      | trades | lowest | average |
      | 2      | 90     | 95      |
    And nothing is told of IBM from 7 s

  Scenario: With grace a closed window still takes late trades
    Given windows take late trades for 2 s
    When these trades come in
      | ticker | price | at   |
      | IBM    | 100   | 12 s |
      | IBM    | 90    | 9 s  |
    Then the statistics of IBM from 6 s are at last
      | trades | lowest | average |
      | 1      | 90     | 90      |
    And nothing is told of IBM from 5 s

  Scenario: A record that is no trade changes nothing
    When these trades come in
      | ticker | price | at   |
      | IBM    | 100   | 10 s |
    And a record without a trade comes in for IBM at 99 s
    And these trades come in
      | ticker | price | at   |
      | IBM    | 50    | 10 s |
    Then the statistics of IBM from 10 s are at last
      | trades | lowest | average |
      | 2      | 50     | 75      |
