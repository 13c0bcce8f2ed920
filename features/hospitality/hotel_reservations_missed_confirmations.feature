Feature: Missed confirmations
  As a customer service agent
  I want a report when a hotel misses its deadline to confirm a booking
  so that I can call the hotel before the guest does.

  The deadline is one minute after the booking. Each missed confirmation is reported once.

  Background:
    Given the reservations of guests are tracked

  Scenario: A confirmation that has not arrived by its deadline is reported once
    When Ann books r1 at 0 s: room 12 in the Astoria from 2026-05-01 to 2026-05-03
    And Bob books r2 at 50 s: room 7 in the Bristol from 2026-06-10 to 2026-06-12
    And Bob changes r2 to room 8 at 61 s
    And Bob changes r2 to room 9 at 63 s
    Then the missed confirmations are
      | guest | reservation | hotel   | booked at | due at |
      | Ann   | r1          | Astoria | 0 s       | 60 s   |

  Scenario: A confirmation by the deadline is not reported
    When Ann books r1 at 0 s: room 12 in the Astoria from 2026-05-01 to 2026-05-03
    And the hotel confirms r1 for Ann at 60 s
    And Bob books r2 at 100 s: room 7 in the Bristol from 2026-06-10 to 2026-06-12
    Then there are no missed confirmations

  Scenario: A confirmation after the deadline is a missed confirmation
    When Ann books r1 at 0 s: room 12 in the Astoria from 2026-05-01 to 2026-05-03
    And the hotel confirms r1 for Ann at 70 s
    And Ann changes r1 to room 14 at 80 s
    Then the missed confirmations are
      | guest | reservation | hotel   | booked at | due at |
      | Ann   | r1          | Astoria | 0 s       | 60 s   |

  Scenario: A cancelled booking needs no confirmation
    When Ann books r1 at 0 s: room 12 in the Astoria from 2026-05-01 to 2026-05-03
    And Ann cancels r1 at 30 s
    And Bob books r2 at 100 s: room 7 in the Bristol from 2026-06-10 to 2026-06-12
    Then there are no missed confirmations

  Scenario: A booking that is delivered again after the report is not reported again
    When Ann books r1 at 0 s: room 12 in the Astoria from 2026-05-01 to 2026-05-03
    And Ann cancels r9 at 70 s
    And Ann books r1 at 0 s: room 12 in the Astoria from 2026-05-01 to 2026-05-03
    And Ann cancels r8 at 200 s
    Then the missed confirmations are
      | guest | reservation | hotel   | booked at | due at |
      | Ann   | r1          | Astoria | 0 s       | 60 s   |

  Scenario: A confirmation by the deadline counts even if it arrives before its booking
    When the hotel confirms r1 for Ann at 20 s
    And Ann books r1 at 0 s: room 12 in the Astoria from 2026-05-01 to 2026-05-03
    And Ann cancels r9 at 200 s
    Then there are no missed confirmations

  Scenario: Confirmations by the deadline that arrive late are accepted during the grace period
    Given late confirmations are accepted for 30 s
    When Ann books r1 at 0 s: room 12 in the Astoria from 2026-05-01 to 2026-05-03
    And Bob books r2 at 80 s: room 7 in the Bristol from 2026-06-10 to 2026-06-12
    And the hotel confirms r1 for Ann at 55 s
    And the hotel confirms r2 for Bob at 90 s
    And Bob cancels r2 at 200 s
    Then there are no missed confirmations

  Scenario: A booking that arrives long after its deadline is reported at once
    When Bob books r2 at 100 s: room 7 in the Bristol from 2026-06-10 to 2026-06-12
    And Ann books r1 at 0 s: room 12 in the Astoria from 2026-05-01 to 2026-05-03
    Then the missed confirmations are
      | guest | reservation | hotel   | booked at | due at |
      | Ann   | r1          | Astoria | 0 s       | 60 s   |

  Scenario: By the wall clock, a missed confirmation is reported although no other event arrives
    Given deadlines are watched by the wall clock
    When Ann books r1 at 0 s: room 12 in the Astoria from 2026-05-01 to 2026-05-03
    And Bob books r2 at 0 s: room 7 in the Bristol from 2026-06-10 to 2026-06-12
    And the wall clock advances by 40 s
    And the hotel confirms r2 for Bob at 40 s
    And the wall clock advances by 21 s
    And the wall clock advances by 60 s
    Then the missed confirmations are
      | guest | reservation | hotel   | booked at | due at |
      | Ann   | r1          | Astoria | 0 s       | 60 s   |
