Feature: Store inventory
  As a shopkeeper
  I want to see what each of my stores has in stock, from what it restocks and sells.

  Stock below zero is shown, not hidden: more has been sold than was known to be there.

  Background:
    Given the stock of each store is tracked

  Scenario: Restocks add to the stock and sales subtract from it
    When these items arrive
      | store | sku  | quantity | type    |
      | north | tea  | 10       | RESTOCK |
      | north | tea  | 3        | SALE    |
      | north | rice | 5        | RESTOCK |
    Then the stock of north is
      | sku  | pieces |
      | tea  | 7      |
      | rice | 5      |

  Scenario: Each store has its own stock
    When these items arrive
      | store | sku | quantity | type    |
      | north | tea | 10       | RESTOCK |
      | south | tea | 4        | RESTOCK |
    Then the stock of north is
      | sku | pieces |
      | tea | 10     |
    And the stock of south is
      | sku | pieces |
      | tea | 4      |

  Scenario: Selling more than there is leads to stock below zero
    When these items arrive
      | store | sku | quantity | type |
      | north | tea | 2        | SALE |
    Then the stock of north is
      | sku | pieces |
      | tea | -2     |

  Scenario: Stock below zero is reported until it is restocked
    When these items arrive
      | store | sku  | quantity | type    |
      | north | tea  | 2        | RESTOCK |
      | north | tea  | 5        | SALE    |
      | north | rice | 1        | SALE    |
      | north | tea  | 3        | RESTOCK |
      | north | rice | 4        | RESTOCK |
      | north | tea  | 1        | RESTOCK |
    Then the reports of missing items from north are
      | missing       |
      | 3 tea         |
      | 3 tea, 1 rice |
      | 1 rice        |
      | nothing       |
