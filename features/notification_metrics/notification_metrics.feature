Feature: How many notifications each user gets
  Every minute a span of ten minutes begins. How many notifications a user got in a span is told at each change. A span that is
  over is settled: what comes in late for it is left out. Every user's notifications move the time on for all.

  Scenario: Notifications count in every span that they fall into, for each user
    Given the notification metrics
    When these users are notified
      | user | at         |
      | ann  | 60 min     |
      | bob  | 60 min     |
      | ann  | 69.999 min |
      | ann  | 70 min     |
    Then these counts are at last, among others
      | user | from   | to     | count |
      | ann  | 51 min | 61 min | 1     |
      | ann  | 60 min | 70 min | 2     |
      | ann  | 61 min | 71 min | 2     |
      | ann  | 70 min | 80 min | 1     |
      | bob  | 60 min | 70 min | 1     |
    And ann's span from 60 min to 70 min was told as 1, 2

  Scenario: A notification out of order counts in the spans that are not over, and in no other
    Given the notification metrics
    When these users are notified
      | user | at     |
      | ann  | 60 min |
      | bob  | 66 min |
      | ann  | 57 min |
    Then these counts are at last, among others
      | user | from   | to     | count |
      | ann  | 56 min | 66 min | 1     |
      | ann  | 57 min | 67 min | 2     |
    And ann's span from 51 min to 61 min was told as 1
    And ann has no count from 48 min to 58 min

  Scenario: A notification that is too late for every span is left out
    Given the notification metrics
    When these users are notified
      | user | at     |
      | ann  | 60 min |
      | bob  | 80 min |
      | ann  | 70 min |
      | eve  | 61 min |
    Then ann's span from 60 min to 70 min was told as 1
    And eve has been told nothing

  Scenario: With grace a span waits for late notifications, and no longer
    Given the notification metrics
    And spans wait 2 min for late notifications
    When these users are notified
      | user | at         |
      | ann  | 60 min     |
      | bob  | 71.999 min |
      | ann  | 61 min     |
      | bob  | 72 min     |
      | ann  | 62 min     |
    Then ann's span from 60 min to 70 min was told as 1, 2

  Scenario: With results that are final each span is told once, when it is over
    Given the notification metrics
    And only final counts are told
    When these users are notified
      | user | at     |
      | ann  | 60 min |
      | ann  | 61 min |
      | bob  | 62 min |
      | bob  | 90 min |
    Then ann's span from 52 min to 62 min was told as 2
    And ann's span from 51 min to 61 min was told as 1
    And bob's span from 62 min to 72 min was told as 1
    And bob has no count from 90 min to 100 min

  Scenario: What cannot be read is put aside, and a restart forgets neither counts nor the time
    Given the notification metrics
    When these users are notified
      | user | at     |
      | ann  | 60 min |
    And "{torn" comes into notifications under ann
    And "7" comes into notifications under bob
    And these users are notified
      | user | at     |
      | ann  | 69 min |
    And the flow is restarted
    And these users are notified
      | user | at     |
      | ann  | 61 min |
      | ann  | 59 min |
    Then ann's span from 60 min to 70 min was told as 1, 2, 3
    And ann's span from 59 min to 69 min was told as 1
    And bob has been told nothing
    And these dead letters are kept
      | topic         | value | reason                                                              |
      | notifications | {torn | Notification: Invalid JSON: key must be a string at line 1 column 2 |
      | notifications | 7     | Notification: Input should be an object, not 7                      |
