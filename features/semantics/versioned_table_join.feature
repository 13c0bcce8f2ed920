Feature: Join with a versioned table
  A versioned table keeps the exchange rates of the last 100 s for each currency. Each payment is converted with the rate of its own
  time. With a grace period, payments wait for rates that arrive late.

  Background:
    Given payments are joined with the versions of the exchange rates
    And the table keeps a history of 100 s

  Scenario: A payment is converted with the rate of its time
    When these records arrive
      | topic          | key | value | time |
      | exchange-rates | USD | 90    | 10 s |
      | exchange-rates | USD | 92    | 20 s |
      | payments       | USD | lamp  | 15 s |
      | payments       | USD | chair | 20 s |
    Then these records are emitted
      | key | payment | rate | time |
      | USD | lamp    | 90   | 15 s |
      | USD | chair   | 92   | 20 s |

  Scenario: A rate that arrives late is put in its place
    When these records arrive
      | topic          | key | value | time |
      | exchange-rates | USD | 92    | 20 s |
      | exchange-rates | USD | 90    | 10 s |
      | payments       | USD | lamp  | 15 s |
    Then these records are emitted
      | key | payment | rate | time |
      | USD | lamp    | 90   | 15 s |

  Scenario: A rate that is older than the history is dropped
    When these records arrive
      | topic          | key | value | time  |
      | exchange-rates | USD | 92    | 120 s |
      | exchange-rates | USD | 90    | 19 s  |
      | payments       | USD | lamp  | 30 s  |
    Then no records are emitted

  Scenario: With a grace period a payment waits for a late rate
    Given the grace period is 10 s
    When these records arrive
      | topic          | key | value | time |
      | exchange-rates | USD | 90    | 0 s  |
      | payments       | USD | lamp  | 15 s |
      | exchange-rates | USD | 91    | 14 s |
      | payments       | USD | chair | 25 s |
    Then these records are emitted
      | key | payment | rate | time |
      | USD | lamp    | 91   | 15 s |

  Scenario: A payment that is later than the grace period does not wait
    Given the grace period is 10 s
    When these records arrive
      | topic          | key | value | time |
      | exchange-rates | USD | 90    | 0 s  |
      | payments       | USD | lamp  | 30 s |
      | payments       | USD | chair | 19 s |
    Then these records are emitted
      | key | payment | rate | time |
      | USD | chair   | 90   | 19 s |
