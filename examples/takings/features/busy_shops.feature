Feature: Busy shops
  The manager opens another till when a shop takes more than its limit in a minute.

  Background:
    Given a limit of 1000 euros a minute

  Scenario: A shop exceeds its limit
    When these payments are made
      | till   | shop  | amount | at second |
      | till 1 | north | 700    | 1         |
      | till 3 | north | 400    | 40        |
    Then these shops are busy
      | shop  | payments | total |
      | north | 2        | 1100  |

  Scenario: Payments of different minutes are not added up
    When these payments are made
      | till   | shop  | amount | at second |
      | till 1 | north | 700    | 1         |
      | till 3 | north | 400    | 61        |
    Then no shop is busy

  Scenario: A payment that arrives late still counts within ten seconds
    When these payments are made
      | till   | shop  | amount | at second |
      | till 1 | north | 700    | 1         |
      | till 2 | south | 5      | 69        |
      | till 3 | north | 400    | 59        |
    Then these shops are busy
      | shop  | payments | total |
      | north | 2        | 1100  |
