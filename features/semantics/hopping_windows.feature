Feature: Hopping windows
  Windows of ten minutes start every minute, so that each record belongs to ten of them.

  Background:
    Given notifications are counted by user in windows of 10 min that start every 1 min

  Scenario: A record counts in all ten windows that contain its timestamp
    When these records arrive
      | key | time   |
      | ann | 60 min |
    Then these records are emitted
      | key | window start | window end | count |
      | ann | 51 min       | 61 min     | 1     |
      | ann | 52 min       | 62 min     | 1     |
      | ann | 53 min       | 63 min     | 1     |
      | ann | 54 min       | 64 min     | 1     |
      | ann | 55 min       | 65 min     | 1     |
      | ann | 56 min       | 66 min     | 1     |
      | ann | 57 min       | 67 min     | 1     |
      | ann | 58 min       | 68 min     | 1     |
      | ann | 59 min       | 69 min     | 1     |
      | ann | 60 min       | 70 min     | 1     |

  Scenario: A window contains its start and not its end
    When these records arrive
      | key | time   |
      | ann | 60 min |
      | ann | 64 min |
      | ann | 70 min |
    Then the latest records include
      | key | window start | window end | count |
      | ann | 60 min       | 70 min     | 2     |
      | ann | 61 min       | 71 min     | 2     |
      | ann | 65 min       | 75 min     | 1     |

  Scenario: Each key has its own windows
    When these records arrive
      | key | time   |
      | ann | 60 min |
      | bob | 60 min |
    Then the latest records include
      | key | window start | window end | count |
      | ann | 60 min       | 70 min     | 1     |
      | bob | 60 min       | 70 min     | 1     |
