Feature: Sliding windows
  Records whose timestamps differ by at most one second share a window, wherever that second starts.

  Background:
    Given records are counted in sliding windows with a time difference of 1 s

  Scenario: Each record ends one window, and starts another just after each earlier record
    When these records arrive
      | key | time    |
      | a   | 8000 ms |
      | a   | 8200 ms |
      | a   | 9100 ms |
    Then these records are emitted
      | key | window start | window end | count | time    |
      | a   | 7000 ms      | 8000 ms    | 1     | 8000 ms |
      | a   | 8001 ms      | 9001 ms    | 1     | 8200 ms |
      | a   | 7200 ms      | 8200 ms    | 2     | 8200 ms |
      | a   | 8201 ms      | 9201 ms    | 1     | 9100 ms |
      | a   | 8100 ms      | 9100 ms    | 2     | 9100 ms |

  Scenario: Records with the same timestamp share their windows
    When these records arrive
      | key | time    |
      | a   | 5000 ms |
      | a   | 5000 ms |
    Then these records are emitted
      | key | window start | window end | count | time    |
      | a   | 4000 ms      | 5000 ms    | 1     | 5000 ms |
      | a   | 4000 ms      | 5000 ms    | 2     | 5000 ms |
