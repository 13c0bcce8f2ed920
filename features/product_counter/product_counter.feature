Feature: Product counter
  Every second all counts of views are told, in the order of the products.

  Scenario: Counts are told when the time of the views reaches the next second
    Given counts are told by the time of the views
    When these products are seen
      | product | at     |
      | tv      | 100 ms |
      | radio   | 500 ms |
      | tv      | 1 s    |
    Then these counts are told
      | product | count | at     |
      | tv      | 1     | 100 ms |
      | radio   | 1     | 1 s    |
      | tv      | 2     | 1 s    |

  Scenario: Counts are told by the clock on the wall
    Given counts are told by the clock on the wall
    When these products are seen
      | product | at     |
      | tv      | 100 ms |
    And 999 ms pass
    And 1 ms pass
    Then these counts are told
      | product | count | at  |
      | tv      | 1     | 1 s |

  Scenario: A product that is withdrawn is no longer told
    Given counts are told by the clock on the wall
    When these products are seen
      | product | at     |
      | tv      | 100 ms |
    And tv is withdrawn
    And 1 s pass
    Then no counts are told
