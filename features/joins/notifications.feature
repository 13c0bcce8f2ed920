Feature: Notifications to users who left
  At every tick a user's last action is looked up, as it stands at that moment, whatever its time.

  Background:
    Given the notifications

  Scenario: A user is notified at each tick while away
    When this is seen
      | what   | user | value | at   |
      | action | ann  | Open  | 0 s  |
      | tick   | ann  |       | 10 s |
      | action | ann  | Close | 20 s |
      | tick   | ann  |       | 30 s |
      | tick   | ann  |       | 40 s |
    Then these users are notified
      | user | at   |
      | ann  | 30 s |
      | ann  | 40 s |

  Scenario: The action that came last counts, not the one with the latest time
    When this is seen
      | what   | user | value | at    |
      | action | ann  | Open  | 100 s |
      | action | ann  | Close | 50 s  |
      | tick   | ann  |       | 10 s  |
    Then these users are notified
      | user | at   |
      | ann  | 10 s |

  Scenario: Nobody knows whether a user who never acted is away
    When this is seen
      | what | user | value | at   |
      | tick | bob  |       | 10 s |
    Then nobody is notified

  Scenario: An action that is withdrawn is as if it had never been
    When this is seen
      | what   | user | value | at   |
      | action | ann  | Close | 0 s  |
      | action | ann  |       | 5 s  |
      | tick   | ann  |       | 10 s |
    Then nobody is notified
