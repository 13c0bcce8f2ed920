Feature: Emit on window close
  Instead of every update, an aggregation can emit one final result for each window, when the window closes.

  Scenario: The record that closes a window emits its results
    Given records are counted in windows of 10 s and emitted on window close
    When these records arrive
      | key | time |
      | a   | 1 s  |
      | a   | 2 s  |
      | b   | 3 s  |
    Then no records are emitted
    When these records arrive
      | key | time |
      | a   | 10 s |
    Then these records are emitted
      | key | window start | window end | count | time |
      | a   | 0 s          | 10 s       | 2     | 2 s  |
      | b   | 0 s          | 10 s       | 1     | 3 s  |

  Scenario: A jump in stream time loses no result
    Given records are counted in windows of 10 s and emitted on window close
    When these records arrive
      | key | time   |
      | a   | 1 s    |
      | b   | 12 s   |
      | b   | 9000 s |
    Then these records are emitted
      | key | window start | window end | count | time |
      | a   | 0 s          | 10 s       | 1     | 1 s  |
      | b   | 10 s         | 20 s       | 1     | 12 s |

  Scenario: The emit interval limits, in wall-clock time, how often closed windows are emitted
    Given records are counted in windows of 10 s and emitted on window close, at most every 5 s
    When these records arrive
      | key | time |
      | a   | 1 s  |
      | a   | 11 s |
    And the wall clock advances by 5 s
    And these records arrive
      | key | time |
      | a   | 12 s |
    Then these records are emitted
      | key | window start | window end | count | time |
      | a   | 0 s          | 10 s       | 1     | 1 s  |
