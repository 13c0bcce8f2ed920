Feature: Immediate notifications
  The simpler variant needs neither a clock nor a memory: a user is notified at once by each Close, and by no other action.

  Scenario: Each Close notifies once, including late and repeated ones
    Given users are notified as soon as they close the site
    When these events arrive
      | event  | user | action | time |
      | action | ann  | Open   | 0 s  |
      | action | ann  | Close  | 10 s |
      | action | bob  | Scroll | 11 s |
      | action | bob  | Close  | 5 s  |
      | action | ann  |        | 12 s |
      | action | ann  | Close  | 20 s |
    Then these users are notified with "You are not currently viewing Facebook."
      | user | time |
      | ann  | 10 s |
      | bob  | 5 s  |
      | ann  | 20 s |
