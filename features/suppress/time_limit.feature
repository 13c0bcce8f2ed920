Feature: Fewer updates
  A count that changes all the time may be told now and then, always as it is at last.

  Scenario: The latest count leaves a time after the first change that was held back
    Given counts that wait for 5 s
    When these events come in
      | key | at     |
      | a   | 0 s    |
      | a   | 1 s    |
      | b   | 2 s    |
      | a   | 5 s    |
    Then these counts have left
      | key | count | at  |
      | a   | 3     | 5 s |

  Scenario: When too many counts wait the oldest leaves early
    Given counts that wait for 60 s, no more than 2 at once
    When these events come in
      | key | at  |
      | a   | 0 s |
      | b   | 1 s |
      | c   | 2 s |
    Then these counts have left
      | key | count | at  |
      | a   | 1     | 0 s |
