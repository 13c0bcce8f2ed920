Feature: Top movers from single prices
  When only single prices are available, the first and the last price of a day to arrive are its open and close. Days follow the
  calendar of the exchange.

  Scenario: Each day has its own list, and a price that arrives after its day has ended is dropped
    Given the top 2 movers of each day in America/New_York are listed
    When these prices arrive
      | share | price | time                      |
      | A     | 100   | 2024-11-02T10:00:00-04:00 |
      | B     | 100   | 2024-11-02T10:00:00-04:00 |
      | A     | 130   | 2024-11-02T16:00:00-04:00 |
      | B     | 120   | 2024-11-02T15:00:00-04:00 |
      | A     | 110   | 2024-11-02T23:59:59-04:00 |
      | A     | 100   | 2024-11-03T00:00:00-04:00 |
      | B     | 900   | 2024-11-02T16:00:00-04:00 |
      | A     | 90    | 2024-11-03T23:59:59-05:00 |
      | A     | 50    | 2024-11-04T00:00:00-05:00 |
    Then the top movers on 2024-11-02 are B, A
    And the list for 2024-11-03 changes to
      | top movers |
      | A +0.0%    |
      | A -10.0%   |
    And the list for 2024-11-04 changes to
      | top movers |
      | A +0.0%    |
