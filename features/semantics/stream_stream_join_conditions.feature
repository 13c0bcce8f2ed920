Feature: Conditions of stream-stream joins
  A join may ask for more than an equal key and a close time: a condition of both values, a window that ends when a value says so, or
  no window at all.

  Scenario: A record without a pair that meets the condition stays alone
    Given invoices are left-joined within 10 s with transfers that are high enough
    When these records arrive
      | topic     | key | amount | time |
      | invoices  | A1  | 20     | 1 s  |
      | transfers | A1  | 5      | 2 s  |
      | invoices  | A2  | 30     | 3 s  |
      | transfers | A2  | 30     | 4 s  |
      | invoices  | A3  | 1      | 20 s |
    Then these records are emitted
      | key | total | paid | time |
      | A2  | 30    | 30   | 4 s  |
      | A1  | 20    |      | 1 s  |

  Scenario: The window of a record ends when its value says so
    Given auctions are joined with the bids that are made until they expire
    When these records arrive
      | topic    | key | expires or price | time  |
      | bids     | X1  | 9                | 1.5 s |
      | auctions | X1  | 3000             | 1 s   |
      | auctions | X2  | 9000             | 1 s   |
      | bids     | X1  | 10               | 3 s   |
      | bids     | X1  | 11               | 3.1 s |
      | bids     | X2  | 12               | 8 s   |
    Then these records are emitted
      | key | price | time  |
      | X1  | 9     | 1.5 s |
      | X1  | 10    | 3 s   |
      | X2  | 12    | 8 s   |

  Scenario: Without a window, records are joined however far apart they are
    Given auctions are joined with all their bids
    When these records arrive
      | topic    | key | expires or price | time     |
      | bids     | X1  | 9                | 0 s      |
      | auctions | X1  | 3000             | 1 s      |
      | bids     | X2  | 1                | 999999 s |
      | bids     | X1  | 10               | 9999 s   |
    Then these records are emitted
      | key | price | time   |
      | X1  | 9     | 1 s    |
      | X1  | 10    | 9999 s |
