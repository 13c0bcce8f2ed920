Feature: Notifications to users who are away
  What a user did last tells whether they are looking: after Open they are, after Close they are not. At every tick of the clock
  those who are away are told so; nobody else is.

  Background:
    Given the notifications of users who are away

  Scenario: A user is told at every tick from Close to Open
    When this is seen
      | what   | user | action | at   |
      | action | ann  | Open   | 0 s  |
      | tick   | ann  |        | 10 s |
      | action | ann  | Close  | 15 s |
      | tick   | ann  |        | 20 s |
      | tick   | ann  |        | 30 s |
      | action | ann  | Open   | 35 s |
      | tick   | ann  |        | 40 s |
    Then these users are told "You are not currently viewing Facebook."
      | user | at   |
      | ann  | 20 s |
      | ann  | 30 s |

  Scenario: Users do not mix, and one who never did anything is told nothing
    When this is seen
      | what   | user | action | at   |
      | action | ann  | Close  | 0 s  |
      | action | bob  | Open   | 0 s  |
      | tick   | ann  |        | 10 s |
      | tick   | bob  |        | 10 s |
      | tick   | eve  |        | 10 s |
    Then these users are told "You are not currently viewing Facebook."
      | user | at   |
      | ann  | 10 s |

  Scenario: What came last counts, though it happened earlier
    When this is seen
      | what   | user | action | at   |
      | action | ann  | Open   | 20 s |
      | action | ann  | Close  | 10 s |
      | tick   | ann  |        | 30 s |
    Then these users are told "You are not currently viewing Facebook."
      | user | at   |
      | ann  | 30 s |

  Scenario: An action that is withdrawn, or that says neither, tells nothing
    When this is seen
      | what   | user | action | at   |
      | action | ann  | Close  | 0 s  |
      | action | ann  |        | 5 s  |
      | action | bob  | Close  | 5 s  |
      | action | bob  | Scroll | 6 s  |
      | tick   | ann  |        | 10 s |
      | tick   | bob  |        | 10 s |
    Then nobody is told anything

  Scenario: An action that cannot be read is put aside, and the one before it still counts
    When this is seen
      | what   | user | action | at  |
      | action | ann  | Close  | 0 s |
    And "\xff" comes into user-actions under ann
    And "{torn" comes into ticks under ann
    And this is seen
      | what | user | action | at   |
      | tick | ann  |        | 10 s |
    Then these users are told "You are not currently viewing Facebook."
      | user | at   |
      | ann  | 10 s |
    And these dead letters are kept
      | topic        | value | reason                                                |
      | ticks        | {torn | Invalid JSON: key must be a string at line 1 column 2 |
      | user-actions | \xff  | string: not UTF-8 at byte 0                           |

  Scenario: A restart forgets nobody who is away, and tells nobody twice
    When this is seen
      | what   | user | action | at   |
      | action | ann  | Close  | 0 s  |
      | action | bob  | Close  | 0 s  |
      | tick   | ann  |        | 10 s |
    And the flow is restarted
    And this is seen
      | what   | user | action | at   |
      | action | bob  | Open   | 15 s |
      | tick   | ann  |        | 20 s |
      | tick   | bob  |        | 20 s |
    Then these users are told "You are not currently viewing Facebook."
      | user | at   |
      | ann  | 10 s |
      | ann  | 20 s |
