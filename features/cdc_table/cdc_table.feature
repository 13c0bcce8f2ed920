Feature: Purchases with customers from a database
  The customers live in a database of another department. Every change of a row there is sent: created (c), updated (u), deleted
  (d), or read (r) when sending began. A table is kept up with these changes, and every purchase is told with the customer as the
  table has it at that moment.

  Background:
    Given the table of customers is kept

  Scenario: A purchase is told with the customer as the table has it
    When these changes come in
      | op | place | id | name | city |
      | r  | 1     | c1 | Ann  | Oslo |
    And c1 buys a lamp
    And these changes come in
      | op | place | id | name | city   |
      | u  | 2     | c1 | Ann  | Bergen |
    And c1 buys a rug
    Then these purchases are told
      | customer | name | city   | item |
      | c1       | Ann  | Oslo   | lamp |
      | c1       | Ann  | Bergen | rug  |

  Scenario: A purchase of somebody who is not in the table is told all the same
    When c9 buys a lamp
    And these changes come in
      | op | place | id | name | city |
      | c  | 1     | c9 | Ivy  | Rome |
    And c9 buys a rug
    Then these purchases are told
      | customer | name | city | item |
      | c9       |      |      | lamp |
      | c9       | Ivy  | Rome | rug  |

  Scenario: A deleted customer is gone
    When these changes come in
      | op | place | id | name | city |
      | c  | 1     | c1 | Ann  | Oslo |
      | d  | 2     | c1 |      |      |
    And the log lets go of c1
    And c1 buys a lamp
    Then these purchases are told
      | customer | name | city | item |
      | c1       |      |      | lamp |

  Scenario: Changes that are sent again change nothing, not even those from before a deletion
    When these changes come in
      | op | place | id | name | city   |
      | c  | 1     | c1 | Ann  | Oslo   |
      | u  | 2     | c1 | Ann  | Bergen |
      | c  | 3     | c2 | Bob  | Rome   |
      | d  | 4     | c2 |      |        |
      | c  | 1     | c1 | Ann  | Oslo   |
      | c  | 3     | c2 | Bob  | Rome   |
    And c1 buys a lamp
    And c2 buys a rug
    Then these purchases are told
      | customer | name | city   | item |
      | c1       | Ann  | Bergen | lamp |
      | c2       |      |        | rug  |

  Scenario: Changes that cannot be made come out with the reason, and change nothing
    When these changes come in
      | op | place | id | name | city |
      | c  | 1     | c1 | Ann  | Oslo |
      | x  | 2     | c1 | Eve  | Rome |
      | u  | 3     | c1 |      |      |
    And a change of c2 to the row of Bob with the id c3 comes in
    And c1 buys a lamp
    Then these changes are rejected
      | id | reason                                         |
      | c1 | operation 'x' is unknown; there are: c, u, d, r |
      | c1 | the row after the change is missing            |
      | c2 | the row after the change is 'c3', not 'c2'     |
    And these purchases are told
      | customer | name | city | item |
      | c1       | Ann  | Oslo | lamp |
