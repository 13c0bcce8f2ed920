Feature: Product counter
  As a product manager
  I want a report every second of how often each product has been viewed, in the order of the products.

  Scenario: Counts are reported when the time of the views reaches the next second
    Given counts are reported every second of stream time
    When these products are viewed
      | product | time   |
      | tv      | 100 ms |
      | radio   | 500 ms |
      | tv      | 1 s    |
    Then the reported counts are
      | product | count | time   |
      | tv      | 1     | 100 ms |
      | radio   | 1     | 1 s    |
      | tv      | 2     | 1 s    |

  Scenario: Counts are reported when the wall clock reaches the next second
    Given counts are reported every second of wall-clock time
    When these products are viewed
      | product | time   |
      | tv      | 100 ms |
    And the wall clock advances by 999 ms
    And the wall clock advances by 1 ms
    Then the reported counts are
      | product | count | time |
      | tv      | 1     | 1 s  |

  Scenario: A product that is withdrawn is no longer reported
    Given counts are reported every second of wall-clock time
    When these products are viewed
      | product | time   |
      | tv      | 100 ms |
    And tv is withdrawn
    And the wall clock advances by 1 s
    Then no counts are reported
