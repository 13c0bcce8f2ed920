Feature: Daily ranges
  The range of prices of a day, from midnight to midnight where the exchange is. Days are shorter or longer where clocks change.

  Scenario: A day has its lowest, highest and average price
    Given the daily ranges of Europe/Berlin
    When these prices come in
      | price | at                     |
      | 10    | 2024-01-10 00:00:00.000 |
      | 14    | 2024-01-10 12:00:00.000 |
      | 6     | 2024-01-10 23:59:59.999 |
      | 99    | 2024-01-11 00:00:00.000 |
    Then these days are at last
      | from             | hours | lowest | highest | average | prices |
      | 2024-01-10 00:00 | 24    | 6      | 14      | 10      | 3      |
      | 2024-01-11 00:00 | 24    | 99     | 99      | 99      | 1      |

  Scenario: The day on which clocks go forward has 23 hours
    Given the daily ranges of Europe/Berlin
    When these prices come in
      | price | at                      |
      | 10    | 2024-03-31 12:00:00.000 |
    Then these days are at last
      | from             | hours | lowest | highest | average | prices |
      | 2024-03-31 00:00 | 23    | 10     | 10      | 10      | 1      |

  Scenario: The day on which clocks go back has 25 hours
    Given the daily ranges of Europe/Berlin
    When these prices come in
      | price | at                      |
      | 10    | 2024-10-27 12:00:00.000 |
    Then these days are at last
      | from             | hours | lowest | highest | average | prices |
      | 2024-10-27 00:00 | 25    | 10     | 10      | 10      | 1      |

  Scenario: A price from before midnight is late after it
    Given the daily ranges of America/New_York
    When these prices come in
      | price | at                      |
      | 10    | 2024-01-10 12:00:00.000 |
      | 20    | 2024-01-11 00:00:00.000 |
      | 30    | 2024-01-10 23:59:59.000 |
    Then these days are at last
      | from             | hours | lowest | highest | average | prices |
      | 2024-01-10 00:00 | 24    | 10     | 10      | 10      | 1      |
      | 2024-01-11 00:00 | 24    | 20     | 20      | 20      | 1      |

  Scenario: With grace a day still takes late prices
    Given the daily ranges of America/New_York
    And days take late prices for 1 h
    When these prices come in
      | price | at                      |
      | 10    | 2024-01-10 12:00:00.000 |
      | 20    | 2024-01-11 00:00:00.000 |
      | 30    | 2024-01-10 23:59:59.000 |
    Then these days are at last
      | from             | hours | lowest | highest | average | prices |
      | 2024-01-10 00:00 | 24    | 10     | 30      | 20      | 2      |
      | 2024-01-11 00:00 | 24    | 20     | 20      | 20      | 1      |
