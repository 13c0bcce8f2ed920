Feature: The whole view of a guest
  Bookings, changes, cancellations and confirmations come from different desks. Customer service sees all of one guest at once,
  anew after everything that happens, whatever order the desks send it in.

  Background:
    Given the reservations of guests are followed

  Scenario: After each event the whole guest is seen
    When Ann books r1, room 12 in the Astoria, from 2026-05-01 to 2026-05-03, at 1 s
    And Ann books r2, room 7 in the Bristol, from 2026-06-10 to 2026-06-12, at 2 s
    And the hotel confirms r1 of Ann at 3 s
    And Ann changes r1 to room 14 at 4 s
    And Ann cancels r2 at 5 s
    Then Ann is seen 5 times
    And Ann's reservations are at last
      | reservation | state     | hotel   | room | arrival    | departure  |
      | r1          | confirmed | Astoria | 14   | 2026-05-01 | 2026-05-03 |
      | r2          | cancelled | Bristol | 7    | 2026-06-10 | 2026-06-12 |
    And Ann's story is at last
      | at  | reservation | what                                                    |
      | 1 s | r1          | booked room 12 in Astoria from 2026-05-01 to 2026-05-03 |
      | 2 s | r2          | booked room 7 in Bristol from 2026-06-10 to 2026-06-12  |
      | 3 s | r1          | confirmed                                               |
      | 4 s | r1          | changed room 14                                         |
      | 5 s | r2          | cancelled                                               |

  Scenario: Guests do not mix
    When Ann books r1, room 12 in the Astoria, from 2026-05-01 to 2026-05-03, at 1 s
    And Bob books r2, room 7 in the Bristol, from 2026-06-10 to 2026-06-12, at 2 s
    Then Ann's reservations are at last
      | reservation | state     | hotel   | room | arrival    | departure  |
      | r1          | requested | Astoria | 12   | 2026-05-01 | 2026-05-03 |
    And Bob's reservations are at last
      | reservation | state     | hotel   | room | arrival    | departure  |
      | r2          | requested | Bristol | 7    | 2026-06-10 | 2026-06-12 |

  Scenario: A change may become known before its booking
    When Ann changes r1 to room 14 at 4 s
    Then Ann's reservations are at last
      | reservation | state   | hotel | room | arrival | departure |
      | r1          | unknown |       | 14   |         |           |
    When Ann books r1, room 12 in the Astoria, from 2026-05-01 to 2026-05-03, at 1 s
    Then Ann's reservations are at last
      | reservation | state     | hotel   | room | arrival    | departure  |
      | r1          | requested | Astoria | 14   | 2026-05-01 | 2026-05-03 |

  Scenario: Of changes that become known out of order the one asked for last holds
    When Ann books r1, room 12 in the Astoria, from 2026-05-01 to 2026-05-03, at 1 s
    And Ann changes r1 to room 16 at 9 s
    And Ann changes r1 to room 14 at 5 s
    Then Ann's reservations are at last
      | reservation | state     | hotel   | room | arrival    | departure  |
      | r1          | requested | Astoria | 16   | 2026-05-01 | 2026-05-03 |

  Scenario: What is sent twice happened once
    When Ann books r1, room 12 in the Astoria, from 2026-05-01 to 2026-05-03, at 1 s
    And Ann books r1, room 12 in the Astoria, from 2026-05-01 to 2026-05-03, at 1 s
    And Ann cancels r1 at 5 s
    And Ann cancels r1 at 5 s
    Then Ann's story is at last
      | at  | reservation | what                                                    |
      | 1 s | r1          | booked room 12 in Astoria from 2026-05-01 to 2026-05-03 |
      | 5 s | r1          | cancelled                                               |

  Scenario: Events that name no guest, or nothing at all, leave every guest as they are
    When Ann books r1, room 12 in the Astoria, from 2026-05-01 to 2026-05-03, at 1 s
    And an empty booking comes in for Ann
    And a cancellation of r1 comes in that names no guest
    Then Ann is seen once
    And Ann's reservations are at last
      | reservation | state     | hotel   | room | arrival    | departure  |
      | r1          | requested | Astoria | 12   | 2026-05-01 | 2026-05-03 |
