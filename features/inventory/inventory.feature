Feature: Store inventory
  What each store has in stock follows from what it restocks and sells. Stock below zero is a fact and is shown, not hidden.

  Background:
    Given the inventory

  Scenario: Restocks add and sales subtract
    When these items come in
      | store | sku  | quantity | type    |
      | north | tea  | 10       | RESTOCK |
      | north | tea  | 3        | SALE    |
      | north | rice | 5        | RESTOCK |
    Then north has in stock
      | sku  | pieces |
      | tea  | 7      |
      | rice | 5      |

  Scenario: Stores do not mix
    When these items come in
      | store | sku | quantity | type    |
      | north | tea | 10       | RESTOCK |
      | south | tea | 4        | RESTOCK |
    Then north has in stock
      | sku | pieces |
      | tea | 10     |
    And south has in stock
      | sku | pieces |
      | tea | 4      |

  Scenario: More sold than there was shows as stock below zero
    When these items come in
      | store | sku | quantity | type |
      | north | tea | 2        | SALE |
    Then north has in stock
      | sku | pieces |
      | tea | -2     |

  Scenario: Stock below zero is reported until it is made good
    Given stores report what they have sold beyond what they had
    When these items come in
      | store | sku  | quantity | type    |
      | north | tea  | 2        | RESTOCK |
      | north | tea  | 5        | SALE    |
      | north | rice | 1        | SALE    |
      | north | tea  | 3        | RESTOCK |
      | north | rice | 4        | RESTOCK |
      | north | tea  | 1        | RESTOCK |
    Then these reports come from north
      | missing       |
      | 3 tea         |
      | 3 tea, 1 rice |
      | 1 rice        |
      | nothing       |

  Scenario: A kind of item that is neither sale nor restock changes nothing
    When these items come in
      | store | sku | quantity | type    |
      | north | tea | 10       | RESTOCK |
      | north | tea | 4        | LOST    |
    Then north has in stock
      | sku | pieces |
      | tea | 10     |

  Scenario: An item that names no store is left out
    When these items come in
      | store | sku | quantity | type    |
      |       | tea | 10       | RESTOCK |
    Then no stock is told
