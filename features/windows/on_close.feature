Feature: Results when windows close
  Who acts on a result wants to see it once, when it will not change any more.

  Scenario: A count is told once, with the event that closes its window
    Given events are counted in windows of 10 s and told on close
    When these events come in
      | key | at     |
      | a   | 1 s    |
      | a   | 2 s    |
      | b   | 3 s    |
    Then no counts are told
    When these events come in
      | key | at     |
      | a   | 10 s   |
    Then these counts are told
      | key | from | to   | count | at  |
      | a   | 0 s  | 10 s | 2     | 2 s |
      | b   | 0 s  | 10 s | 1     | 3 s |

  Scenario: A jump in time loses nothing
    Given events are counted in windows of 10 s and told on close
    When these events come in
      | key | at     |
      | a   | 1 s    |
      | b   | 12 s   |
      | b   | 9000 s |
    Then these counts are told
      | key | from | to   | count | at   |
      | a   | 0 s  | 10 s | 1     | 1 s  |
      | b   | 10 s | 20 s | 1     | 12 s |

  Scenario: The wall clock keeps looks at what has closed apart
    Given events are counted in windows of 10 s and told on close, at most every 5 s
    When these events come in
      | key | at     |
      | a   | 1 s    |
      | a   | 11 s   |
    And 5 s pass
    And these events come in
      | key | at     |
      | a   | 12 s   |
    Then these counts are told
      | key | from | to   | count | at  |
      | a   | 0 s  | 10 s | 1     | 1 s |
