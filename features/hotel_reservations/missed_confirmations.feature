Feature: Confirmations that are missed
  The hotel owes a confirmation within a minute of each booking. One that is missed is reported, once, so that somebody can call
  the hotel before the guest does.

  Background:
    Given the reservations of guests are followed

  Scenario: A confirmation that does not come within a minute is reported once
    When Ann books r1, room 12 in the Astoria, from 2026-05-01 to 2026-05-03, at 0 s
    And Bob books r2, room 7 in the Bristol, from 2026-06-10 to 2026-06-12, at 50 s
    And Bob changes r2 to room 8 at 61 s
    And Bob changes r2 to room 9 at 63 s
    Then these confirmations are missed
      | guest | reservation | hotel   | booked | due  |
      | Ann   | r1          | Astoria | 0 s    | 60 s |

  Scenario: A confirmation in time prevents the report
    When Ann books r1, room 12 in the Astoria, from 2026-05-01 to 2026-05-03, at 0 s
    And the hotel confirms r1 of Ann at 60 s
    And Bob books r2, room 7 in the Bristol, from 2026-06-10 to 2026-06-12, at 100 s
    Then no confirmation is missed

  Scenario: A confirmation that comes too late is a missed one
    When Ann books r1, room 12 in the Astoria, from 2026-05-01 to 2026-05-03, at 0 s
    And the hotel confirms r1 of Ann at 70 s
    And Ann changes r1 to room 14 at 80 s
    Then these confirmations are missed
      | guest | reservation | hotel   | booked | due  |
      | Ann   | r1          | Astoria | 0 s    | 60 s |

  Scenario: A booking that was cancelled needs no confirmation
    When Ann books r1, room 12 in the Astoria, from 2026-05-01 to 2026-05-03, at 0 s
    And Ann cancels r1 at 30 s
    And Bob books r2, room 7 in the Bristol, from 2026-06-10 to 2026-06-12, at 100 s
    Then no confirmation is missed

  Scenario: A booking that is sent again after the report is not reported again
    When Ann books r1, room 12 in the Astoria, from 2026-05-01 to 2026-05-03, at 0 s
    And Ann cancels r9 at 70 s
    And Ann books r1, room 12 in the Astoria, from 2026-05-01 to 2026-05-03, at 0 s
    And Ann cancels r8 at 200 s
    Then these confirmations are missed
      | guest | reservation | hotel   | booked | due  |
      | Ann   | r1          | Astoria | 0 s    | 60 s |

  Scenario: A confirmation in time that becomes known before its booking counts
    When the hotel confirms r1 of Ann at 20 s
    And Ann books r1, room 12 in the Astoria, from 2026-05-01 to 2026-05-03, at 0 s
    And Ann cancels r9 at 200 s
    Then no confirmation is missed

  Scenario: A confirmation in time that becomes known late is waited for
    Given late confirmations are waited for 30 s
    When Ann books r1, room 12 in the Astoria, from 2026-05-01 to 2026-05-03, at 0 s
    And Bob books r2, room 7 in the Bristol, from 2026-06-10 to 2026-06-12, at 80 s
    And the hotel confirms r1 of Ann at 55 s
    And the hotel confirms r2 of Bob at 90 s
    And Bob cancels r2 at 200 s
    Then no confirmation is missed

  Scenario: A booking that becomes known when its confirmation is long overdue is reported at once
    When Bob books r2, room 7 in the Bristol, from 2026-06-10 to 2026-06-12, at 100 s
    And Ann books r1, room 12 in the Astoria, from 2026-05-01 to 2026-05-03, at 0 s
    Then these confirmations are missed
      | guest | reservation | hotel   | booked | due  |
      | Ann   | r1          | Astoria | 0 s    | 60 s |

  Scenario: When nothing else happens the wall clock tells
    Given the wall clock is watched
    When Ann books r1, room 12 in the Astoria, from 2026-05-01 to 2026-05-03, at 0 s
    And Bob books r2, room 7 in the Bristol, from 2026-06-10 to 2026-06-12, at 0 s
    And 40 s pass
    And the hotel confirms r2 of Bob at 40 s
    And 21 s pass
    And 60 s pass
    Then these confirmations are missed
      | guest | reservation | hotel   | booked | due  |
      | Ann   | r1          | Astoria | 0 s    | 60 s |
