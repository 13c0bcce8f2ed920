Feature: What cannot be true is set aside
  As a product owner
  I want what is no notification to be set aside with the reason, so that it is not counted as one.

  Scenario: A notification has a message
    Given notifications are counted by user
    When these notifications are reported
      | user | message |
      | ann  | news    |
      | ann  |         |
      | ann  | " "     |
      | ann  | more    |
    Then the count of ann from 0 s to 10 min changes to 1, 2
    And these notifications are set aside
      | message | reason                                                          |
      |         | Notification: message: Field required                           |
      | " "     | Notification: message is ' '; it must be a text that is not empty |
