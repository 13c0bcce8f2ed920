Feature: Shoe store
  As the owner of shoe stores
  I want to see the stock, the money and the number of transactions of each store, with what customers return.

  Background:
    Given the shoe stores are tracked

  Scenario: A shipment costs money and fills the stock, a sale does the opposite, and a return takes the sale back
    When these transactions arrive
      | store | type     | shoe  | pairs | price in cents |
      | north | SHIPMENT | red   | 3     | 4000           |
      | north | SHIPMENT | blue  | 2     | 5000           |
      | north | SALE     | blue  | 1     | 9900           |
      | north | SALE     | red   | 2     | 7900           |
      | north | RETURN   | blue  | 1     | 9900           |
    Then the state of north is
      | shoe | pairs |
      | red  | 1     |
      | blue | 2     |
    And north has -62 € after 5 transactions

  Scenario: Each store has its own stock and money
    When these transactions arrive
      | store | type     | shoe  | pairs | price in cents |
      | north | SHIPMENT | red   | 3     | 4000           |
      | south | SALE     | red   | 1     | 7900           |
    Then north has -120 € after 1 transactions
    And south has 79 € after 1 transactions
    And the state of south is
      | shoe | pairs |
      | red  | -1    |

  Scenario: A return of more pairs than were sold is refused, and changes nothing
    When these transactions arrive
      | store | type     | shoe  | pairs | price in cents |
      | north | SHIPMENT | red   | 3     | 0              |
      | north | SALE     | red   | 2     | 7900           |
      | north | RETURN   | red   | 3     | 7900           |
      | north | RETURN   | green | 1     | 7900           |
      | north | RETURN   | red   | 2     | 7900           |
      | north | RETURN   | red   | 1     | 7900           |
    Then north has 0 € after 3 transactions
    And the refused returns are
      | store | shoe  | pairs | reason                                            |
      | north | red   | 3     | 3 are more than the 2 that were sold and not returned |
      | north | green | 1     | 1 are more than the 0 that were sold and not returned |
      | north | red   | 1     | 1 are more than the 0 that were sold and not returned |

  Scenario: What is no transaction is set aside
    When these transactions are reported
      | store | type | shoe | pairs | price in cents |
      | north | SALE | red  | 1     | 7900           |
      | north | GIFT | red  | 1     | 7900           |
      | north | SALE | red  | 0     | 7900           |
      | north | SALE | red  | 1     | -1             |
      | north | SALE |      | 1     | 7900           |
    Then north has 79 € after 1 transactions
    And these transactions are set aside
      | type | shoe | pairs | price in cents | reason                                                                     |
      | GIFT | red  | 1     | 7900           | ShoeTransaction: type is 'GIFT'; it must be one of: SHIPMENT, SALE, RETURN |
      | SALE | red  | 0     | 7900           | ShoeTransaction: pairs is 0; it must be a whole number of at least 1       |
      | SALE | red  | 1     | -1             | ShoeTransaction: price_cents is -1; it must be a whole number of at least 0 |
      | SALE |      | 1     | 7900           | ShoeTransaction: shoe: Field required                                      |
