Feature: Stock statistics
  As a trader
  I want to know how often shares of each ticker were offered in the last seconds, the best ask, which is the lowest price,
  and the average price,
  so that I notice when a share begins to move.

  Windows are 5 seconds long, and a new one starts every second.

  Background:
    Given trades are summarized by ticker

  Scenario: A trade counts in each of the five windows that contain it
    When these trades arrive
      | ticker | price | time |
      | IBM    | 100   | 10 s |
    Then the statistics are
      | ticker | window start | window end | trades | lowest price | average price |
      | IBM    | 6 s          | 11 s       | 1      | 100          | 100           |
      | IBM    | 7 s          | 12 s       | 1      | 100          | 100           |
      | IBM    | 8 s          | 13 s       | 1      | 100          | 100           |
      | IBM    | 9 s          | 14 s       | 1      | 100          | 100           |
      | IBM    | 10 s         | 15 s       | 1      | 100          | 100           |

  Scenario: The lowest and the average price cover all trades of a window
    When these trades arrive
      | ticker | price | time |
      | IBM    | 100   | 4 s  |
      | IBM    | 90    | 4 s  |
      | IBM    | 110   | 4 s  |
    Then the statistics for IBM starting at 4 s are
      | trades | lowest price | average price |
      | 3      | 90           | 100           |

  Scenario: Each ticker has its own statistics
    When these trades arrive
      | ticker | price | time |
      | IBM    | 100   | 4 s  |
      | MSFT   | 30    | 4 s  |
    Then the statistics for IBM starting at 4 s are
      | trades | lowest price | average price |
      | 1      | 100          | 100           |
    And the statistics for MSFT starting at 4 s are
      | trades | lowest price | average price |
      | 1      | 30           | 30            |

  Scenario: Bids do not count, since the lowest price is the best ask
    When these trades arrive
      | ticker | type | price | time |
      | IBM    | ASK  | 100   | 4 s  |
      | IBM    | BID  | 80    | 4 s  |
    Then the statistics for IBM starting at 4 s are
      | trades | lowest price | average price |
      | 1      | 100          | 100           |
