Feature: What cannot be true is set aside
  As a bank
  I want payments that no shop can mean to be set aside with the reason, so that they are neither approved nor held against a
  card.

  Scenario: A payment has a name, an amount above zero and a country
    Given payments are approved up to 500 each, 3 in a minute, and an hour after a payment in another country
    When these card payments are reported
      | card | payment | amount | country |
      | ann  | p1      | 20     | DE      |
      | ann  | p2      | 0      | DE      |
      | ann  | p3      | 20     | Japan   |
      | ann  |         | 20     | DE      |
    Then the approved payments are
      | card | payment | amount |
      | ann  | p1      | 20     |
    And these card payments are set aside
      | payment | amount | country | reason                                                                        |
      | p2      | 0      | DE      | Payment: amount is 0.0; it must be a number above 0                           |
      | p3      | 20     | Japan   | Payment: country is 'Japan'; it must be the two letters of a country, such as DE |
      |         | 20     | DE      | Payment: payment: Field required                                              |
