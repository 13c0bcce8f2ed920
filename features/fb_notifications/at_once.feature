Feature: Notifications at once
  The simpler kind waits for no clock and remembers nothing: whoever closes is told so at once, and every other action passes
  without a word.

  Scenario: Each Close is told once, even one that comes late or again
    Given the notifications that are sent at once
    When this is seen
      | what   | user | action | at   |
      | action | ann  | Open   | 0 s  |
      | action | ann  | Close  | 10 s |
      | action | bob  | Scroll | 11 s |
      | action | bob  | Close  | 5 s  |
      | action | ann  |        | 12 s |
    And "\xff" comes into user-actions under ann
    And the flow is restarted
    And this is seen
      | what   | user | action | at   |
      | action | ann  | Close  | 20 s |
    Then these users are told "You are not currently viewing Facebook."
      | user | at   |
      | ann  | 10 s |
      | bob  | 5 s  |
      | ann  | 20 s |
    And these dead letters are kept
      | topic        | value | reason                      |
      | user-actions | \xff  | string: not UTF-8 at byte 0 |
