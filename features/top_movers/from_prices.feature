Feature: The shares that moved most, from the prices of the day
  Where there are only single prices, the first and the last that came in make a share's day, on the calendar of the exchange.

  Scenario: Each day has its list, and a price that comes after its day is over moves nothing
    Given the 2 top movers of each day in America/New_York
    When these prices come in
      | share | price | at                        |
      | A     | 100   | 2024-11-02T10:00:00-04:00 |
      | B     | 100   | 2024-11-02T10:00:00-04:00 |
      | A     | 130   | 2024-11-02T16:00:00-04:00 |
      | B     | 120   | 2024-11-02T15:00:00-04:00 |
      | A     | 110   | 2024-11-02T23:59:59-04:00 |
      | A     | 100   | 2024-11-03T00:00:00-04:00 |
    And the flow is restarted
    And these prices come in
      | share | price | at                        |
      | B     | 900   | 2024-11-02T16:00:00-04:00 |
      | A     | 90    | 2024-11-03T23:59:59-05:00 |
      | A     | 50    | 2024-11-04T00:00:00-05:00 |
    Then the top movers of 2024-11-02 are at last B A
    And the top movers of 2024-11-03 were told as
      | shares   |
      | A +0.0%  |
      | A -10.0% |
    And the top movers of 2024-11-04 were told as
      | shares  |
      | A +0.0% |
