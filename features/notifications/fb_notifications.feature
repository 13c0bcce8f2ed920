Feature: Notifications to users who are away
  As a product owner
  I want users who are not viewing the site to be notified at every tick of a clock, and nobody else.

  The last action of a user shows whether they are viewing the site: after Open they are, after Close they are not.

  Background:
    Given users who are away are notified at every tick

  Scenario: A user is notified at every tick between Close and Open
    When these events arrive
      | event  | user | action | time |
      | action | ann  | Open   | 0 s  |
      | tick   | ann  |        | 10 s |
      | action | ann  | Close  | 15 s |
      | tick   | ann  |        | 20 s |
      | tick   | ann  |        | 30 s |
      | action | ann  | Open   | 35 s |
      | tick   | ann  |        | 40 s |
    Then these users are notified with "You are not currently viewing Facebook."
      | user | time |
      | ann  | 20 s |
      | ann  | 30 s |

  Scenario: Each user is judged by their own actions, and a user without any action is not notified
    When these events arrive
      | event  | user | action | time |
      | action | ann  | Close  | 0 s  |
      | action | bob  | Open   | 0 s  |
      | tick   | ann  |        | 10 s |
      | tick   | bob  |        | 10 s |
      | tick   | eve  |        | 10 s |
    Then these users are notified with "You are not currently viewing Facebook."
      | user | time |
      | ann  | 10 s |

  Scenario: The action that arrives last counts, even if it happened earlier
    When these events arrive
      | event  | user | action | time |
      | action | ann  | Open   | 20 s |
      | action | ann  | Close  | 10 s |
      | tick   | ann  |        | 30 s |
    Then these users are notified with "You are not currently viewing Facebook."
      | user | time |
      | ann  | 30 s |

  Scenario: A user whose last action is deleted, or is neither Open nor Close, is not notified
    When these events arrive
      | event  | user | action | time |
      | action | ann  | Close  | 0 s  |
      | action | ann  |        | 5 s  |
      | action | bob  | Close  | 5 s  |
      | action | bob  | Scroll | 6 s  |
      | tick   | ann  |        | 10 s |
      | tick   | bob  |        | 10 s |
    Then nobody is notified
