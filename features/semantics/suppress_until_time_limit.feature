Feature: Suppress until a time limit
  The updates of a key are suppressed for some time after the first of them. Then the latest one is emitted.

  Scenario: The latest update is emitted when the time limit after the first one is reached
    Given the counts of a table are suppressed for 5 s
    When these records arrive
      | key | time |
      | a   | 0 s  |
      | a   | 1 s  |
      | b   | 2 s  |
      | a   | 5 s  |
    Then these records are emitted
      | key | count | time |
      | a   | 3     | 5 s  |

  Scenario: When the buffer is full, the oldest update is emitted early
    Given the counts of a table are suppressed for 60 s in a buffer of 2 records
    When these records arrive
      | key | time |
      | a   | 0 s  |
      | b   | 1 s  |
      | c   | 2 s  |
    Then these records are emitted
      | key | count | time |
      | a   | 1     | 0 s  |
