Feature: Approval of payments
  As a bank
  I want a payment that breaks a rule to be refused before any money moves, with the reason
  so that a thief gets nothing and the owner of the card learns why.

  Background:
    Given payments are approved up to 500 each, 3 in a minute, and an hour after a payment in another country

  Scenario: A payment that breaks no rule is approved
    When these payments are asked for
      | card | payment | amount | country | time |
      | ann  | p1      | 20     | DE      | 0 s  |
      | ann  | p2      | 500    | DE      | 90 s |
    Then the approved payments are
      | card | payment | amount |
      | ann  | p1      | 20     |
      | ann  | p2      | 500    |
    And no payment is refused

  Scenario: A payment above the limit is refused
    When these payments are asked for
      | card | payment | amount | country | time |
      | ann  | p1      | 500.01 | DE      | 0 s  |
    Then the refused payments are
      | card | payment | rule  | reason                   |
      | ann  | p1      | limit | 500.01 is more than 500.00 |
    And no payment is approved

  Scenario: Too many payments of one card in a minute are refused, whether those before were approved or not
    When these payments are asked for
      | card | payment | amount | country | time   |
      | ann  | p1      | 20     | DE      | 0 s    |
      | ann  | p2      | 900    | DE      | 10 s   |
      | ann  | p3      | 20     | DE      | 20 s   |
      | bob  | p4      | 20     | DE      | 25 s   |
      | ann  | p5      | 20     | DE      | 59.9 s |
      | ann  | p6      | 20     | DE      | 80 s   |
    Then the approved payments are
      | card | payment | amount |
      | ann  | p1      | 20     |
      | ann  | p3      | 20     |
      | bob  | p4      | 20     |
      | ann  | p6      | 20     |
    And the refused payments are
      | card | payment | rule     | reason                                     |
      | ann  | p2      | limit    | 900.00 is more than 500.00                 |
      | ann  | p5      | velocity | it is payment 4 within 60 s; 3 are allowed |

  Scenario: A payment in another country is refused while the card cannot have travelled there
    When these payments are asked for
      | card | payment | amount | country | time   |
      | ann  | p1      | 20     | DE      | 0 s    |
      | ann  | p2      | 20     | JP      | 10 min |
      | ann  | p3      | 20     | DE      | 20 min |
      | ann  | p4      | 20     | JP      | 80 min |
    Then the approved payments are
      | card | payment | amount |
      | ann  | p1      | 20     |
      | ann  | p3      | 20     |
      | ann  | p4      | 20     |
    And the refused payments are
      | card | payment | rule    | reason                             |
      | ann  | p2      | country | the card paid in DE within 10 min |

  Scenario: A payment that is asked for again is not decided again
    When these payments are asked for
      | card | payment | amount | country | time |
      | ann  | p1      | 20     | DE      | 0 s  |
      | ann  | p1      | 20     | DE      | 1 s  |
    Then the approved payments are
      | card | payment | amount |
      | ann  | p1      | 20     |
    And no payment is refused
