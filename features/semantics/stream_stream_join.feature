Feature: Stream-stream join
  A left join of clicks with searches pairs each click with every search of the same user within one second before or after it.
  A click without a search is emitted alone when its join window closes. The profile of the user is added by a join with a table.

  Background:
    Given clicks are left-joined with the searches of the same user within 1 s

  Scenario: A click joins an earlier search
    When these records arrive in topic 'profiles'
      | key | name | time |
      | 1   | Anna | 0 s  |
    And these records arrive
      | topic    | key | value      | time  |
      | searches | 1   | wetsuit    | 1 s   |
      | clicks   | 1   | retro.html | 1.5 s |
    Then these records are emitted
      | user id | user name | search term | page       | time  |
      | 1       | Anna      | wetsuit     | retro.html | 1.5 s |

  Scenario: A click joins a later search, with the timestamp of the search
    When these records arrive
      | topic    | key | value      | time  |
      | clicks   | 1   | retro.html | 1 s   |
      | searches | 1   | wetsuit    | 1.8 s |
    Then these records are emitted
      | user id | user name | search term | page       | time  |
      | 1       |           | wetsuit     | retro.html | 1.8 s |

  Scenario: A click without a search is emitted when its join window closes
    When these records arrive
      | topic  | key | value      | time |
      | clicks | 1   | retro.html | 1 s  |
    Then no records are emitted
    When these records arrive
      | topic  | key | value      | time  |
      | clicks | 2   | other.html | 2.5 s |
    Then these records are emitted
      | user id | user name | search term | page       | time |
      | 1       |           |             | retro.html | 1 s  |

  Scenario: A click joins every search in its join window, in the order of their timestamps
    When these records arrive
      | topic    | key | value      | time  |
      | searches | 1   | late       | 1.2 s |
      | searches | 1   | early      | 1 s   |
      | clicks   | 1   | retro.html | 1.1 s |
    Then these records are emitted
      | user id | user name | search term | page       | time  |
      | 1       |           | early       | retro.html | 1.1 s |
      | 1       |           | late        | retro.html | 1.2 s |

  Scenario: With a grace period, a click waits longer for a search
    Given the grace period is 2 s
    When these records arrive
      | topic  | key | value      | time  |
      | clicks | 1   | retro.html | 1 s   |
      | clicks | 2   | other.html | 3.9 s |
    Then no records are emitted
    When these records arrive
      | topic    | key | value   | time  |
      | searches | 1   | wetsuit | 1.5 s |
    Then these records are emitted
      | user id | user name | search term | page       | time  |
      | 1       |           | wetsuit     | retro.html | 1.5 s |
