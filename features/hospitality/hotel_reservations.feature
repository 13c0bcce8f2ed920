Feature: The complete view of a guest
  As a customer service agent
  I want to see all reservations of a guest and their history at a glance, up to date after every event.

  Bookings, changes, cancellations and confirmations come from different desks, in any order.

  Background:
    Given the reservations of guests are tracked

  Scenario: The view of a guest is updated with every event
    When Ann books r1 at 1 s: room 12 in the Astoria from 2026-05-01 to 2026-05-03
    And Ann books r2 at 2 s: room 7 in the Bristol from 2026-06-10 to 2026-06-12
    And the hotel confirms r1 for Ann at 3 s
    And Ann changes r1 to room 14 at 4 s
    And Ann cancels r2 at 5 s
    Then the view of Ann is updated 5 times
    And the reservations of Ann are
      | reservation | state     | hotel   | room | arrival    | departure  |
      | r1          | confirmed | Astoria | 14   | 2026-05-01 | 2026-05-03 |
      | r2          | cancelled | Bristol | 7    | 2026-06-10 | 2026-06-12 |
    And the history of Ann is
      | time | reservation | event                                                   |
      | 1 s  | r1          | booked room 12 in Astoria from 2026-05-01 to 2026-05-03 |
      | 2 s  | r2          | booked room 7 in Bristol from 2026-06-10 to 2026-06-12  |
      | 3 s  | r1          | confirmed                                               |
      | 4 s  | r1          | changed room 14                                         |
      | 5 s  | r2          | cancelled                                               |

  Scenario: Each guest has their own view
    When Ann books r1 at 1 s: room 12 in the Astoria from 2026-05-01 to 2026-05-03
    And Bob books r2 at 2 s: room 7 in the Bristol from 2026-06-10 to 2026-06-12
    Then the reservations of Ann are
      | reservation | state     | hotel   | room | arrival    | departure  |
      | r1          | requested | Astoria | 12   | 2026-05-01 | 2026-05-03 |
    And the reservations of Bob are
      | reservation | state     | hotel   | room | arrival    | departure  |
      | r2          | requested | Bristol | 7    | 2026-06-10 | 2026-06-12 |

  Scenario: A change may arrive before its booking
    When Ann changes r1 to room 14 at 4 s
    Then the reservations of Ann are
      | reservation | state   | hotel | room | arrival | departure |
      | r1          | unknown |       | 14   |         |           |
    When Ann books r1 at 1 s: room 12 in the Astoria from 2026-05-01 to 2026-05-03
    Then the reservations of Ann are
      | reservation | state     | hotel   | room | arrival    | departure  |
      | r1          | requested | Astoria | 14   | 2026-05-01 | 2026-05-03 |

  Scenario: When changes arrive out of order, the latest request counts
    When Ann books r1 at 1 s: room 12 in the Astoria from 2026-05-01 to 2026-05-03
    And Ann changes r1 to room 16 at 9 s
    And Ann changes r1 to room 14 at 5 s
    Then the reservations of Ann are
      | reservation | state     | hotel   | room | arrival    | departure  |
      | r1          | requested | Astoria | 16   | 2026-05-01 | 2026-05-03 |

  Scenario: An event that is delivered twice appears once in the history
    When Ann books r1 at 1 s: room 12 in the Astoria from 2026-05-01 to 2026-05-03
    And Ann books r1 at 1 s: room 12 in the Astoria from 2026-05-01 to 2026-05-03
    And Ann cancels r1 at 5 s
    And Ann cancels r1 at 5 s
    Then the history of Ann is
      | time | reservation | event                                                   |
      | 1 s  | r1          | booked room 12 in Astoria from 2026-05-01 to 2026-05-03 |
      | 5 s  | r1          | cancelled                                               |

  Scenario: Events without a guest, or without content, change nothing
    When Ann books r1 at 1 s: room 12 in the Astoria from 2026-05-01 to 2026-05-03
    And an empty booking arrives for Ann
    And a cancellation of r1 arrives without a guest
    Then the view of Ann is updated once
    And the reservations of Ann are
      | reservation | state     | hotel   | room | arrival    | departure  |
      | r1          | requested | Astoria | 12   | 2026-05-01 | 2026-05-03 |
