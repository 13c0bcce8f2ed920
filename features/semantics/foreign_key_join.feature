Feature: Foreign-key join
  Orders refer to customers by a foreign key. The join emits each order with its customer, and again when either of them changes.

  Scenario: A change of a customer emits all orders of that customer
    Given orders are joined with their customers
    When these records arrive
      | topic     | key | foreign key | value |
      | customers | ann |             | Anna  |
      | orders    | 1   | ann         | tea   |
      | orders    | 2   | ann         | rice  |
      | customers | ann |             | Ann   |
    Then these records are emitted
      | key | order | customer |
      | 1   | tea   | Anna     |
      | 2   | rice  | Anna     |
      | 1   | tea   | Ann      |
      | 2   | rice  | Ann      |

  Scenario: An order with a new foreign key no longer follows its old customer
    Given orders are joined with their customers
    When these records arrive
      | topic     | key | foreign key | value |
      | customers | ann |             | Anna  |
      | customers | bob |             | Bob   |
      | orders    | 1   | ann         | tea   |
      | orders    | 1   | bob         | tea   |
      | customers | ann |             | Ann   |
    Then these records are emitted
      | key | order | customer |
      | 1   | tea   | Anna     |
      | 1   | tea   | Bob      |

  Scenario: An inner join deletes an order when its customer is deleted
    Given orders are joined with their customers
    When these records arrive
      | topic     | key | foreign key | value |
      | customers | ann |             | Anna  |
      | orders    | 1   | ann         | tea   |
      | customers | ann |             |       |
    Then these records are emitted
      | key | order | customer |
      | 1   | tea   | Anna     |
      | 1   |       |          |

  Scenario: A left join emits an order without a customer until there is one
    Given orders are left-joined with their customers
    When these records arrive
      | topic     | key | foreign key | value |
      | orders    | 1   |             | tea   |
      | orders    | 1   | ann         | tea   |
      | customers | ann |             | Anna  |
    Then these records are emitted
      | key | order | customer |
      | 1   | tea   |          |
      | 1   | tea   |          |
      | 1   | tea   | Anna     |
