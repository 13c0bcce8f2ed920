Feature: Sessions
  Events of a key that follow each other within a gap make a session. It grows, and an event between two sessions makes them one.

  Scenario: A session grows while events follow within the gap
    Given events are counted in sessions with a gap of 5 s
    When these events come in
      | key | at   |
      | a   | 1 s  |
      | a   | 3 s  |
      | a   | 20 s |
    Then these sessions are told
      | key | from | to   | count |
      | a   | 1 s  | 1 s  | 1     |
      | a   | 1 s  | 1 s  | gone  |
      | a   | 1 s  | 3 s  | 2     |
      | a   | 20 s | 20 s | 1     |

  Scenario: A late event brings two sessions together
    Given events are counted in sessions with a gap of 5 s
    And sessions take late events for 60 s
    When these events come in
      | key | at  |
      | a   | 0 s |
      | a   | 8 s |
      | a   | 4 s |
    Then these sessions are told
      | key | from | to  | count |
      | a   | 0 s  | 0 s | 1     |
      | a   | 8 s  | 8 s | 1     |
      | a   | 0 s  | 0 s | gone  |
      | a   | 8 s  | 8 s | gone  |
      | a   | 0 s  | 8 s | 3     |

  Scenario: Keys do not mix
    Given events are counted in sessions with a gap of 5 s
    When these events come in
      | key | at  |
      | a   | 1 s |
      | b   | 2 s |
    Then these sessions are told
      | key | from | to  | count |
      | a   | 1 s  | 1 s | 1     |
      | b   | 2 s  | 2 s | 1     |

  Scenario: An event that is too late for any session is left out
    Given events are counted in sessions with a gap of 5 s
    When these events come in
      | key | at   |
      | a   | 20 s |
      | b   | 14 s |
    Then these sessions are told
      | key | from | to   | count |
      | a   | 20 s | 20 s | 1     |
