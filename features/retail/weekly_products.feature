Feature: Products of the week
  As a shop owner
  I want to know which products were ordered most in each week from Monday to Sunday.

  Scenario: Products are ranked by the pieces that were ordered in the week so far
    Given the 2 best products of each week are listed
    When these orders arrive
      | number | product | pieces | time                      |
      | 1      | tea     | 2      | 2026-01-05T08:00:00+00:00 |
      | 2      | rice    | 3      | 2026-01-06T08:00:00+00:00 |
      | 3      | salt    | 1      | 2026-01-06T09:00:00+00:00 |
      | 4      | tea     | 4      | 2026-01-11T23:59:59+00:00 |
    Then the products of the week are
      | week     | pieces | best products  |
      | 2026-W02 | 2      | 2 tea          |
      | 2026-W02 | 5      | 3 rice, 2 tea  |
      | 2026-W02 | 6      | 3 rice, 2 tea  |
      | 2026-W02 | 10     | 6 tea, 3 rice  |

  Scenario: A week starts on Monday, in the time zone of the shop, and a late order counts in its own week
    Given the 2 best products of each week in Europe/Berlin are listed
    When these orders arrive
      | number | product | pieces | time                      |
      | 1      | tea     | 2      | 2026-01-04T22:59:00+00:00 |
      | 2      | rice    | 3      | 2026-01-04T23:00:00+00:00 |
      | 3      | salt    | 1      | 2026-01-04T22:30:00+00:00 |
    Then the products of the week are
      | week     | pieces | best products |
      | 2026-W01 | 2      | 2 tea         |
      | 2026-W02 | 3      | 3 rice        |
      | 2026-W01 | 3      | 2 tea, 1 salt |

  Scenario: What is no order is set aside
    Given the 2 best products of each week are listed
    When these orders are reported
      | number | product | pieces |
      | 1      | tea     | 2      |
      | 2      | tea     | 0      |
      | 3      |         | 2      |
    Then the products of the week are
      | week     | pieces | best products |
      | 1970-W01 | 2      | 2 tea         |
    And these orders are set aside
      | product | pieces | reason                                                      |
      | tea     | 0      | Order: pieces is 0; it must be a whole number of at least 1 |
      |         | 2      | Order: product: Field required                              |
