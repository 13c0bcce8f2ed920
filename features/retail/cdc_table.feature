Feature: Purchases with customers from a database
  As an analyst
  I want every purchase together with the name and city of the customer, as the customer database has them at that moment.

  Another department owns the database. It publishes a change event for every row that is created (c), updated (u) or deleted (d),
  or was already there when it began to publish (r, for read). The log sequence number (lsn) of the events increases from change
  to change. A table is maintained from these events.

  Background:
    Given the table of customers is maintained from change events

  Scenario: A purchase is enriched with the current row of the customer
    When these changes arrive
      | op | lsn | id | name | city |
      | r  | 1   | c1 | Ann  | Oslo |
    And c1 buys a lamp
    And these changes arrive
      | op | lsn | id | name | city   |
      | u  | 2   | c1 | Ann  | Bergen |
    And c1 buys a rug
    Then the enriched purchases are
      | customer | name | city   | item |
      | c1       | Ann  | Oslo   | lamp |
      | c1       | Ann  | Bergen | rug  |

  Scenario: A purchase by an unknown customer has no name and no city
    When c9 buys a lamp
    And these changes arrive
      | op | lsn | id | name | city |
      | c  | 1   | c9 | Ivy  | Rome |
    And c9 buys a rug
    Then the enriched purchases are
      | customer | name | city | item |
      | c9       |      |      | lamp |
      | c9       | Ivy  | Rome | rug  |

  Scenario: A deleted customer is no longer known
    When these changes arrive
      | op | lsn | id | name | city |
      | c  | 1   | c1 | Ann  | Oslo |
      | d  | 2   | c1 |      |      |
    And the row of c1 is cleared
    And c1 buys a lamp
    Then the enriched purchases are
      | customer | name | city | item |
      | c1       |      |      | lamp |

  Scenario: Change events that are delivered again change nothing, not even those from before a deletion
    When these changes arrive
      | op | lsn | id | name | city   |
      | c  | 1   | c1 | Ann  | Oslo   |
      | u  | 2   | c1 | Ann  | Bergen |
      | c  | 3   | c2 | Bob  | Rome   |
      | d  | 4   | c2 |      |        |
      | c  | 1   | c1 | Ann  | Oslo   |
      | c  | 3   | c2 | Bob  | Rome   |
    And c1 buys a lamp
    And c2 buys a rug
    Then the enriched purchases are
      | customer | name | city   | item |
      | c1       | Ann  | Bergen | lamp |
      | c2       |      |        | rug  |

  Scenario: Invalid change events are rejected with a reason, and change nothing
    When these changes arrive
      | op | lsn | id | name | city |
      | c  | 1   | c1 | Ann  | Oslo |
      | x  | 2   | c1 | Eve  | Rome |
      | u  | 3   | c1 |      |      |
    And an update of c2 arrives with the row of c3, Bob
    And c1 buys a lamp
    Then the rejected changes are
      | id | reason                                          |
      | c1 | operation 'x' is unknown; there are: c, u, d, r |
      | c1 | the row after the change is missing             |
      | c2 | the row after the change is 'c3', not 'c2'      |
    And the enriched purchases are
      | customer | name | city | item |
      | c1       | Ann  | Oslo | lamp |
