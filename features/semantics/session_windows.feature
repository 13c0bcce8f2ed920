Feature: Session windows
  Records of a key belong to one session as long as the gap between them is no longer than the inactivity gap. A record that joins
  sessions replaces them: a tombstone is emitted for each old session, and then the new one.

  Background:
    Given records are counted in sessions with an inactivity gap of 5 s

  Scenario: A session grows as long as records follow within the inactivity gap
    When these records arrive
      | key | time |
      | a   | 1 s  |
      | a   | 3 s  |
      | a   | 20 s |
    Then these records are emitted
      | key | window start | window end | count |
      | a   | 1 s          | 1 s        | 1     |
      | a   | 1 s          | 1 s        |       |
      | a   | 1 s          | 3 s        | 2     |
      | a   | 20 s         | 20 s       | 1     |

  Scenario: A late record merges two sessions
    Given the grace period is 60 s
    When these records arrive
      | key | time |
      | a   | 0 s  |
      | a   | 8 s  |
      | a   | 4 s  |
    Then these records are emitted
      | key | window start | window end | count |
      | a   | 0 s          | 0 s        | 1     |
      | a   | 8 s          | 8 s        | 1     |
      | a   | 0 s          | 0 s        |       |
      | a   | 8 s          | 8 s        |       |
      | a   | 0 s          | 8 s        | 3     |

  Scenario: Each key has its own sessions
    When these records arrive
      | key | time |
      | a   | 1 s  |
      | b   | 2 s  |
    Then these records are emitted
      | key | window start | window end | count |
      | a   | 1 s          | 1 s        | 1     |
      | b   | 2 s          | 2 s        | 1     |

  Scenario: A record that is too late for any session is dropped
    When these records arrive
      | key | time |
      | a   | 20 s |
      | b   | 14 s |
    Then these records are emitted
      | key | window start | window end | count |
      | a   | 20 s         | 20 s       | 1     |
