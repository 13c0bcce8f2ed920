Feature: Stock statistics
  A trader watches, for each ticker, how many trades there were in the last seconds, at which lowest and at which average price.
  Windows are 5 seconds long and a new one begins every second.

  Background:
    Given the stock statistics

  Scenario: A trade counts in the five windows that it falls into
    When these trades come in
      | ticker | price | at   |
      | IBM    | 100   | 10 s |
    Then these statistics are told
      | ticker | from | to   | trades | lowest | average |
      | IBM    | 6 s  | 11 s | 1      | 100    | 100     |
      | IBM    | 7 s  | 12 s | 1      | 100    | 100     |
      | IBM    | 8 s  | 13 s | 1      | 100    | 100     |
      | IBM    | 9 s  | 14 s | 1      | 100    | 100     |
      | IBM    | 10 s | 15 s | 1      | 100    | 100     |

  Scenario: Lowest and average price follow the trades of a window
    When these trades come in
      | ticker | price | at   |
      | IBM    | 100   | 4 s  |
      | IBM    | 90    | 4 s  |
      | IBM    | 110   | 4 s  |
    Then the statistics of IBM from 4 s are at last
      | trades | lowest | average |
      | 3      | 90     | 100     |

  Scenario: Tickers do not mix
    When these trades come in
      | ticker | price | at  |
      | IBM    | 100   | 4 s |
      | MSFT   | 30    | 4 s |
    Then the statistics of IBM from 4 s are at last
      | trades | lowest | average |
      | 1      | 100    | 100     |
    And the statistics of MSFT from 4 s are at last
      | trades | lowest | average |
      | 1      | 30     | 30      |
