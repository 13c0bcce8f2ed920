Feature: Calendar windows
  A window lasts from midnight to midnight in a time zone, so it is shorter or longer when clocks change.

  Scenario: A window contains the records of one day
    Given prices are aggregated by day in Europe/Berlin
    When these records arrive
      | key  | price | time                          |
      | ACME | 10    | 2024-01-10T00:00:00.000+01:00 |
      | ACME | 14    | 2024-01-10T12:00:00.000+01:00 |
      | ACME | 6     | 2024-01-10T23:59:59.999+01:00 |
      | ACME | 99    | 2024-01-11T00:00:00.000+01:00 |
    Then the latest records are
      | key  | window start           | window length | min | max | average | prices |
      | ACME | 2024-01-10T00:00+01:00 | 24 h          | 6   | 14  | 10      | 3      |
      | ACME | 2024-01-11T00:00+01:00 | 24 h          | 99  | 99  | 99      | 1      |

  Scenario: The day on which clocks go forward has 23 hours
    Given prices are aggregated by day in Europe/Berlin
    When these records arrive
      | key  | price | time                      |
      | ACME | 10    | 2024-03-31T12:00:00+02:00 |
    Then the latest records are
      | key  | window start           | window length | min | max | average | prices |
      | ACME | 2024-03-31T00:00+01:00 | 23 h          | 10  | 10  | 10      | 1      |

  Scenario: The day on which clocks go back has 25 hours
    Given prices are aggregated by day in Europe/Berlin
    When these records arrive
      | key  | price | time                      |
      | ACME | 10    | 2024-10-27T12:00:00+01:00 |
    Then the latest records are
      | key  | window start           | window length | min | max | average | prices |
      | ACME | 2024-10-27T00:00+02:00 | 25 h          | 10  | 10  | 10      | 1      |

  Scenario: A window closes at midnight
    Given prices are aggregated by day in America/New_York
    When these records arrive
      | key  | price | time                      |
      | ACME | 10    | 2024-01-10T12:00:00-05:00 |
      | ACME | 20    | 2024-01-11T00:00:00-05:00 |
      | ACME | 30    | 2024-01-10T23:59:59-05:00 |
    Then the latest records are
      | key  | window start           | window length | min | max | average | prices |
      | ACME | 2024-01-10T00:00-05:00 | 24 h          | 10  | 10  | 10      | 1      |
      | ACME | 2024-01-11T00:00-05:00 | 24 h          | 20  | 20  | 20      | 1      |

  Scenario: With a grace period, a window accepts late records after midnight
    Given prices are aggregated by day in America/New_York
    And the grace period is 1 h
    When these records arrive
      | key  | price | time                      |
      | ACME | 10    | 2024-01-10T12:00:00-05:00 |
      | ACME | 20    | 2024-01-11T00:00:00-05:00 |
      | ACME | 30    | 2024-01-10T23:59:59-05:00 |
    Then the latest records are
      | key  | window start           | window length | min | max | average | prices |
      | ACME | 2024-01-10T00:00-05:00 | 24 h          | 10  | 30  | 20      | 2      |
      | ACME | 2024-01-11T00:00-05:00 | 24 h          | 20  | 20  | 20      | 1      |
