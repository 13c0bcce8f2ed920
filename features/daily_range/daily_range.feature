Feature: The range of each day's prices
  What each instrument cost at least, at most and on average on each day of the exchange's own calendar, told at each price. A
  day has 23 or 25 hours where clocks change. A day that is over is settled, unless it waits for late prices.

  Scenario: A day goes from midnight to midnight where the exchange is, and each instrument has its own
    Given the daily ranges of America/New_York
    When these prices come in
      | instrument | price | at                            |
      | ACME       | 10    | 2024-01-10T00:00:00-05:00     |
      | ACME       | 14    | 2024-01-10T12:00:00-05:00     |
      | UMBRELLA   | 500   | 2024-01-10T12:00:00-05:00     |
      | ACME       | 6     | 2024-01-10T23:59:59.999-05:00 |
      | ACME       | 99    | 2024-01-11T05:00:00+00:00     |
    Then these days are told at last
      | instrument | from                      | to                        | lowest | highest | average | prices |
      | ACME       | 2024-01-10T00:00:00-05:00 | 2024-01-11T00:00:00-05:00 | 6      | 14      | 10      | 3      |
      | ACME       | 2024-01-11T00:00:00-05:00 | 2024-01-12T00:00:00-05:00 | 99     | 99      | 99      | 1      |
      | UMBRELLA   | 2024-01-10T00:00:00-05:00 | 2024-01-11T00:00:00-05:00 | 500    | 500     | 500     | 1      |

  Scenario: The day on which clocks go forward has 23 hours, the one on which they go back has 25
    Given the daily ranges of America/New_York
    When these prices come in
      | instrument | price | at                        |
      | ACME       | 1     | 2024-03-10T00:00:00-05:00 |
      | ACME       | 3     | 2024-03-10T23:59:59-04:00 |
      | ACME       | 5     | 2024-03-11T00:00:00-04:00 |
      | ACME       | 10    | 2024-11-03T01:30:00-04:00 |
      | ACME       | 20    | 2024-11-03T01:30:00-05:00 |
      | ACME       | 30    | 2024-11-03T23:59:59-05:00 |
      | ACME       | 40    | 2024-11-04T00:00:00-05:00 |
    Then these days are told at last
      | instrument | from                      | to                        | lowest | highest | average | prices |
      | ACME       | 2024-03-10T00:00:00-05:00 | 2024-03-11T00:00:00-04:00 | 1      | 3       | 2       | 2      |
      | ACME       | 2024-03-11T00:00:00-04:00 | 2024-03-12T00:00:00-04:00 | 5      | 5       | 5       | 1      |
      | ACME       | 2024-11-03T00:00:00-04:00 | 2024-11-04T00:00:00-05:00 | 10     | 30      | 20      | 3      |
      | ACME       | 2024-11-04T00:00:00-05:00 | 2024-11-05T00:00:00-05:00 | 40     | 40      | 40      | 1      |

  Scenario: A price out of order counts in its day, one that comes after its day is over is left out
    Given the daily ranges of America/New_York
    When these prices come in
      | instrument | price | at                        |
      | ACME       | 10    | 2024-01-10T12:00:00-05:00 |
      | ACME       | 4     | 2024-01-10T09:00:00-05:00 |
      | UMBRELLA   | 500   | 2024-01-11T00:00:00-05:00 |
      | ACME       | 1     | 2024-01-10T23:00:00-05:00 |
    Then these days are told at last
      | instrument | from                      | to                        | lowest | highest | average | prices |
      | ACME       | 2024-01-10T00:00:00-05:00 | 2024-01-11T00:00:00-05:00 | 4      | 10      | 7       | 2      |
      | UMBRELLA   | 2024-01-11T00:00:00-05:00 | 2024-01-12T00:00:00-05:00 | 500    | 500     | 500     | 1      |

  Scenario: A day of another zone that waits takes late prices for as long as it waits, though clocks went back meanwhile
    Given the daily ranges of Europe/Berlin
    And days wait 1 h for late prices
    When these prices come in
      | instrument | price | at                        |
      | ACME       | 10    | 2024-10-27T12:00:00+01:00 |
      | ACME       | 20    | 2024-10-28T00:59:59+01:00 |
      | ACME       | 4     | 2024-10-27T02:30:00+02:00 |
      | ACME       | 20    | 2024-10-28T01:00:00+01:00 |
      | ACME       | 1     | 2024-10-27T02:30:00+01:00 |
    Then these days are told at last
      | instrument | from                      | to                        | lowest | highest | average | prices |
      | ACME       | 2024-10-27T00:00:00+02:00 | 2024-10-28T00:00:00+01:00 | 4      | 10      | 7       | 2      |
      | ACME       | 2024-10-28T00:00:00+01:00 | 2024-10-29T00:00:00+01:00 | 20     | 20      | 20      | 2      |

  Scenario: What is no price is left out or put aside, and a restart in the middle of the day forgets no price
    Given the daily ranges of America/New_York
    When these prices come in
      | instrument | price | at                        |
      | ACME       | 10    | 2024-01-10T12:00:00-05:00 |
      | ACME       |       | 2024-01-10T12:01:00-05:00 |
    And "{torn" comes into prices under ACME
    And "{"price": "dear"}" comes into prices under ACME
    And the flow is restarted
    And these prices come in
      | instrument | price | at                        |
      | ACME       | 4     | 2024-01-10T11:00:00-05:00 |
    Then these days are told at last
      | instrument | from                      | to                        | lowest | highest | average | prices |
      | ACME       | 2024-01-10T00:00:00-05:00 | 2024-01-11T00:00:00-05:00 | 4      | 10      | 7       | 2      |
    And these dead letters are kept
      | topic  | value             | reason                                                                                       |
      | prices | {torn             | Price: Invalid JSON: key must be a string at line 1 column 2                                 |
      | prices | {"price": "dear"} | Price: price: Input should be a valid number, unable to parse string as a number, not 'dear' |
