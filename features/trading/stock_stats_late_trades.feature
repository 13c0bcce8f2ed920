Feature: Late trades in stock statistics
  Trades can arrive out of order. A window accepts them until it closes. It closes as soon as a trade has arrived whose time is
  the end of the window or later; with a grace period, the end of the window plus the grace period.

  Background:
    Given trades are summarized by ticker

  Scenario: A trade that arrives out of order counts in the windows that are still open
    When these trades arrive
      | ticker | price | time |
      | IBM    | 100   | 12 s |
      | IBM    | 90    | 9 s  |
    Then the statistics for IBM starting at 8 s are
      | trades | lowest price | average price |
      | 2      | 90           | 95            |
    And there are no statistics for IBM starting at 7 s

  Scenario: A window accepts late trades during its grace period
    Given late trades are accepted for 2 s
    When these trades arrive
      | ticker | price | time |
      | IBM    | 100   | 12 s |
      | IBM    | 90    | 9 s  |
    Then the statistics for IBM starting at 6 s are
      | trades | lowest price | average price |
      | 1      | 90           | 90            |
    And there are no statistics for IBM starting at 5 s

  Scenario: A report without a trade changes nothing
    When these trades arrive
      | ticker | price | time |
      | IBM    | 100   | 10 s |
    And a report without a trade arrives for IBM at 99 s
    And these trades arrive
      | ticker | price | time |
      | IBM    | 50    | 10 s |
    Then the statistics for IBM starting at 10 s are
      | trades | lowest price | average price |
      | 2      | 50           | 75            |
