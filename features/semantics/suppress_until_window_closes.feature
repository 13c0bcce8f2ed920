Feature: Suppress until the window closes
  The updates of a window are suppressed until it closes, so that only its final result is emitted.

  Background:
    Given notifications are counted by user in windows of 10 min that start every 1 min
    And the counts are suppressed until their window closes

  Scenario: The final count of a window is emitted when the window closes
    When these records arrive
      | key | time   |
      | ann | 60 min |
      | ann | 61 min |
      | ann | 70 min |
    Then these records are emitted
      | key | window start | window end | count |
      | ann | 51 min       | 61 min     | 1     |
      | ann | 52 min       | 62 min     | 2     |
      | ann | 53 min       | 63 min     | 2     |
      | ann | 54 min       | 64 min     | 2     |
      | ann | 55 min       | 65 min     | 2     |
      | ann | 56 min       | 66 min     | 2     |
      | ann | 57 min       | 67 min     | 2     |
      | ann | 58 min       | 68 min     | 2     |
      | ann | 59 min       | 69 min     | 2     |
      | ann | 60 min       | 70 min     | 2     |

  Scenario: Nothing is emitted while stream time stands still
    When these records arrive
      | key | time   |
      | ann | 60 min |
      | ann | 60 min |
    And the wall clock advances by 600 min
    Then no records are emitted

  Scenario: With a grace period, a count is final only after it
    Given the grace period is 2 min
    When these records arrive
      | key | time   |
      | ann | 60 min |
      | ann | 62 min |
    Then no records are emitted
    When these records arrive
      | key | time   |
      | ann | 63 min |
    Then these records are emitted
      | key | window start | window end | count |
      | ann | 51 min       | 61 min     | 1     |
