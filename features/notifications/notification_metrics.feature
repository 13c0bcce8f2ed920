Feature: Notification metrics
  As someone who cares that no user is flooded
  I want to know how many notifications each user received within ten minutes.

  A new window of ten minutes starts every minute. The count of a window is updated with every notification. A notification that
  arrives after its window has closed is dropped. Time advances with the notifications of all users.

  Scenario: A notification counts in every window that contains it, for its user
    Given notifications are counted by user
    When these users are notified
      | user | time       |
      | ann  | 60 min     |
      | bob  | 60 min     |
      | ann  | 69.999 min |
      | ann  | 70 min     |
    Then the counts include
      | user | window start | window end | count |
      | ann  | 51 min       | 61 min     | 1     |
      | ann  | 60 min       | 70 min     | 2     |
      | ann  | 61 min       | 71 min     | 2     |
      | ann  | 70 min       | 80 min     | 1     |
      | bob  | 60 min       | 70 min     | 1     |
    And the count of ann from 60 min to 70 min changes to 1, 2

  Scenario: A notification that arrives out of order counts in the windows that are still open
    Given notifications are counted by user
    When these users are notified
      | user | time   |
      | ann  | 60 min |
      | bob  | 66 min |
      | ann  | 57 min |
    Then the counts include
      | user | window start | window end | count |
      | ann  | 56 min       | 66 min     | 1     |
      | ann  | 57 min       | 67 min     | 2     |
    And the count of ann from 51 min to 61 min changes to 1
    And ann has no count from 48 min to 58 min

  Scenario: A notification that is too late for all of its windows is dropped
    Given notifications are counted by user
    When these users are notified
      | user | time   |
      | ann  | 60 min |
      | bob  | 80 min |
      | ann  | 70 min |
      | eve  | 61 min |
    Then the count of ann from 60 min to 70 min changes to 1
    And eve has no counts

  Scenario: A window accepts late notifications during its grace period
    Given notifications are counted by user
    And late notifications are accepted for 2 min
    When these users are notified
      | user | time       |
      | ann  | 60 min     |
      | bob  | 71.999 min |
      | ann  | 61 min     |
      | bob  | 72 min     |
      | ann  | 62 min     |
    Then the count of ann from 60 min to 70 min changes to 1, 2

  Scenario: When only final counts are reported, each window has one count, when it closes
    Given notifications are counted by user
    And only final counts are reported
    When these users are notified
      | user | time   |
      | ann  | 60 min |
      | ann  | 61 min |
      | bob  | 62 min |
      | bob  | 90 min |
    Then the count of ann from 52 min to 62 min changes to 2
    And the count of ann from 51 min to 61 min changes to 1
    And the count of bob from 62 min to 72 min changes to 1
    And bob has no count from 90 min to 100 min
