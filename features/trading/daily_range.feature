Feature: Daily price ranges
  As a trader
  I want the lowest, the highest and the average price of each instrument for each day on the calendar of its exchange.

  The range of a day is updated with every price. A day has 23 or 25 hours when clocks change. A price that arrives after its day
  has ended is dropped, unless late prices are accepted for some time.

  Scenario: A day lasts from midnight to midnight at the exchange, and each instrument has its own range
    Given prices are summarized by day in America/New_York
    When these prices arrive
      | instrument | price | time                          |
      | ACME       | 10    | 2024-01-10T00:00:00-05:00     |
      | ACME       | 14    | 2024-01-10T12:00:00-05:00     |
      | UMBRELLA   | 500   | 2024-01-10T12:00:00-05:00     |
      | ACME       | 6     | 2024-01-10T23:59:59.999-05:00 |
      | ACME       | 99    | 2024-01-11T05:00:00+00:00     |
    Then the daily ranges are
      | instrument | from                      | to                        | lowest | highest | average | prices |
      | ACME       | 2024-01-10T00:00:00-05:00 | 2024-01-11T00:00:00-05:00 | 6      | 14      | 10      | 3      |
      | ACME       | 2024-01-11T00:00:00-05:00 | 2024-01-12T00:00:00-05:00 | 99     | 99      | 99      | 1      |
      | UMBRELLA   | 2024-01-10T00:00:00-05:00 | 2024-01-11T00:00:00-05:00 | 500    | 500     | 500     | 1      |

  Scenario: A day has 23 hours when clocks go forward and 25 hours when they go back
    Given prices are summarized by day in America/New_York
    When these prices arrive
      | instrument | price | time                      |
      | ACME       | 1     | 2024-03-10T00:00:00-05:00 |
      | ACME       | 3     | 2024-03-10T23:59:59-04:00 |
      | ACME       | 5     | 2024-03-11T00:00:00-04:00 |
      | ACME       | 10    | 2024-11-03T01:30:00-04:00 |
      | ACME       | 20    | 2024-11-03T01:30:00-05:00 |
      | ACME       | 30    | 2024-11-03T23:59:59-05:00 |
      | ACME       | 40    | 2024-11-04T00:00:00-05:00 |
    Then the daily ranges are
      | instrument | from                      | to                        | lowest | highest | average | prices |
      | ACME       | 2024-03-10T00:00:00-05:00 | 2024-03-11T00:00:00-04:00 | 1      | 3       | 2       | 2      |
      | ACME       | 2024-03-11T00:00:00-04:00 | 2024-03-12T00:00:00-04:00 | 5      | 5       | 5       | 1      |
      | ACME       | 2024-11-03T00:00:00-04:00 | 2024-11-04T00:00:00-05:00 | 10     | 30      | 20      | 3      |
      | ACME       | 2024-11-04T00:00:00-05:00 | 2024-11-05T00:00:00-05:00 | 40     | 40      | 40      | 1      |

  Scenario: A price that arrives out of order counts in its day until that day has ended
    Given prices are summarized by day in America/New_York
    When these prices arrive
      | instrument | price | time                      |
      | ACME       | 10    | 2024-01-10T12:00:00-05:00 |
      | ACME       | 4     | 2024-01-10T09:00:00-05:00 |
      | UMBRELLA   | 500   | 2024-01-11T00:00:00-05:00 |
      | ACME       | 1     | 2024-01-10T23:00:00-05:00 |
    Then the daily ranges are
      | instrument | from                      | to                        | lowest | highest | average | prices |
      | ACME       | 2024-01-10T00:00:00-05:00 | 2024-01-11T00:00:00-05:00 | 4      | 10      | 7       | 2      |
      | UMBRELLA   | 2024-01-11T00:00:00-05:00 | 2024-01-12T00:00:00-05:00 | 500    | 500     | 500     | 1      |

  Scenario: Late prices are accepted for an hour after a day on which clocks went back
    Given prices are summarized by day in Europe/Berlin
    And late prices are accepted for 1 h
    When these prices arrive
      | instrument | price | time                      |
      | ACME       | 10    | 2024-10-27T12:00:00+01:00 |
      | ACME       | 20    | 2024-10-28T00:59:59+01:00 |
      | ACME       | 4     | 2024-10-27T02:30:00+02:00 |
      | ACME       | 20    | 2024-10-28T01:00:00+01:00 |
      | ACME       | 1     | 2024-10-27T02:30:00+01:00 |
    Then the daily ranges are
      | instrument | from                      | to                        | lowest | highest | average | prices |
      | ACME       | 2024-10-27T00:00:00+02:00 | 2024-10-28T00:00:00+01:00 | 4      | 10      | 7       | 2      |
      | ACME       | 2024-10-28T00:00:00+01:00 | 2024-10-29T00:00:00+01:00 | 20     | 20      | 20      | 2      |
