Feature: Joining by a foreign key
  Orders point to customers. Every order is told with its customer, and anew when either of them changes.

  Scenario: A change of a customer reaches all their orders
    Given orders are joined with the customers that there are
    When this changes
      | table    | key | points to | value |
      | customer | ann |           | Anna  |
      | order    | 1   | ann       | tea   |
      | order    | 2   | ann       | rice  |
      | customer | ann |           | Ann   |
    Then these orders are told
      | order | what | customer |
      | 1     | tea  | Anna     |
      | 2     | rice | Anna     |
      | 1     | tea  | Ann      |
      | 2     | rice | Ann      |

  Scenario: An order that gets another customer hears of the first no more
    Given orders are joined with the customers that there are
    When this changes
      | table    | key | points to | value |
      | customer | ann |           | Anna  |
      | customer | bob |           | Bob   |
      | order    | 1   | ann       | tea   |
      | order    | 1   | bob       | tea   |
      | customer | ann |           | Ann   |
    Then these orders are told
      | order | what | customer |
      | 1     | tea  | Anna     |
      | 1     | tea  | Bob      |

  Scenario: Without its customer an order is deleted
    Given orders are joined with the customers that there are
    When this changes
      | table    | key | points to | value |
      | customer | ann |           | Anna  |
      | order    | 1   | ann       | tea   |
      | customer | ann |           |       |
    Then these orders are told
      | order | what | customer |
      | 1     | tea  | Anna     |
      | 1     |      |          |

  Scenario: Or it stays, and waits for one
    Given orders are joined with their customers or none
    When this changes
      | table    | key | points to | value |
      | order    | 1   |           | tea   |
      | order    | 1   | ann       | tea   |
      | customer | ann |           | Anna  |
    Then these orders are told
      | order | what | customer |
      | 1     | tea  |          |
      | 1     | tea  |          |
      | 1     | tea  | Anna     |
