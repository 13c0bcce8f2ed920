Feature: What cannot be true is set aside
  As a shopkeeper
  I want reports of sales and restocks that cannot be true to be set aside with the reason,
  so that they change no stock.

  Scenario: An item is restocked or sold, in a store, by at least one piece
    Given the stock of each store is tracked
    When these items are reported
      | store | sku | quantity | type    |
      | north | tea | 10       | RESTOCK |
      | north | tea | 2        | RETURN  |
      | north | tea | -3       | SALE    |
      | north | tea | 0        | SALE    |
      | north |     | 4        | SALE    |
      | north | tea |          | SALE    |
      |       | tea | 4        | SALE    |
      | north | tea | 3        | SALE    |
    Then the stock of north is
      | sku | pieces |
      | tea | 7      |
    And these items are set aside
      | store | sku | quantity | type   | reason                                                          |
      | north | tea | 2        | RETURN | Item: type is 'RETURN'; it must be one of: RESTOCK, SALE        |
      | north | tea | -3       | SALE   | Item: quantity is -3; it must be a whole number of at least 1   |
      | north | tea | 0        | SALE   | Item: quantity is 0; it must be a whole number of at least 1    |
      | north |     | 4        | SALE   | Item: sku: Field required                                       |
      | north | tea |          | SALE   | Item: quantity: Field required                                  |
      |       | tea | 4        | SALE   | Item: storeName: Field required                                 |

  Scenario: A purchase has a customer, an item and an amount above 0
    Given the table of customers is maintained from change events
    When these purchases are reported
      | number | customer | item | amount |
      | 1      | c1       | lamp | 30     |
      | 2      | c1       |      | 30     |
      | 3      | c1       | rug  | 0      |
    Then the enriched purchases are
      | customer | item |
      | c1       | lamp |
    And these purchases are set aside
      | number | item | amount | reason                                              |
      | 2      |      | 30     | Purchase: item: Field required                      |
      | 3      | rug  | 0      | Purchase: amount is 0.0; it must be a number above 0 |
