Feature: What cannot be true is set aside
  As a customer service agent
  I want bookings and changes that cannot be true to be set aside, and requests that would leave a guest without a night
  to be rejected, so that every view is of a stay that a hotel can offer.

  Background:
    Given the reservations of guests are tracked

  Scenario: A booking is of a room in a hotel for at least one night
    When these bookings are reported
      | guest | reservation | at   | hotel   | room  | arrival    | departure  |
      | Ann   | r1          | 1000 | Astoria | suite | 2026-05-01 | 2026-05-03 |
      | Ann   | r2          | 1000 | Astoria | suite | 2026-05-03 | 2026-05-01 |
      | Ann   | r3          | 1000 | Astoria | suite | 2026-05-01 | 2026-05-01 |
      | Ann   | r4          | 1000 |         | suite | 2026-05-01 | 2026-05-02 |
      | Ann   | r5          | 1000 | Astoria | suite | 2026-05-01 |            |
    Then the reservations of Ann are
      | reservation | state     | hotel   | room  | arrival    | departure  |
      | r1          | requested | Astoria | suite | 2026-05-01 | 2026-05-03 |
    And these bookings are set aside
      | reservation | reason                                                                                                       |
      | r2          | Booking: departure is 2026-05-01; it must be after the arrival, 2026-05-03: a stay is of at least one night |
      | r3          | Booking: departure is 2026-05-01; it must be after the arrival, 2026-05-01: a stay is of at least one night |
      | r4          | Booking: hotel: Field required                                                                               |
      | r5          | Booking: departure: Field required                                                                           |

  Scenario: A second booking of a reservation is rejected, and the guest's history says so
    When these bookings are reported
      | guest | reservation | at   | hotel   | room  | arrival    | departure  |
      | Ann   | r1          | 2000 | Ritz    | attic | 2026-06-01 | 2026-06-02 |
      | Ann   | r1          | 1000 | Astoria | suite | 2026-05-01 | 2026-05-03 |
      | Ann   | r1          | 1000 | Astoria | suite | 2026-05-01 | 2026-05-03 |
    Then the reservations of Ann are
      | reservation | state     | hotel   | room  | arrival    | departure  |
      | r1          | requested | Astoria | suite | 2026-05-01 | 2026-05-03 |
    And the history of Ann is
      | time | reservation | event                                                                                             |
      | 1 s  | r1          | booked room suite in Astoria from 2026-05-01 to 2026-05-03                                        |
      | 2 s  | r1          | rejected booking of room attic in Ritz from 2026-06-01 to 2026-06-02, since the reservation exists |

  Scenario: A change that would leave no night is rejected, and the guest's history says so
    When these bookings are reported
      | guest | reservation | at   | hotel   | room  | arrival    | departure  |
      | Ann   | r1          | 1000 | Astoria | suite | 2026-05-01 | 2026-05-03 |
    And these changes are reported
      | guest | reservation | at   | arrival    |
      | Ann   | r1          | 2000 | 2026-05-07 |
      | Ann   | r1          | 3000 |            |
    Then the reservations of Ann are
      | reservation | state     | hotel   | room  | arrival    | departure  |
      | r1          | requested | Astoria | suite | 2026-05-01 | 2026-05-03 |
    And the history of Ann is
      | time | reservation | event                                                      |
      | 1 s  | r1          | booked room suite in Astoria from 2026-05-01 to 2026-05-03 |
      | 2 s  | r1          | rejected arrival 2026-05-07, since no night would be left  |
    And these changes are set aside
      | reservation | reason                                                                                                    |
      | r1          | Change: the change names neither a room nor an arrival nor a departure; it must name one of them |
