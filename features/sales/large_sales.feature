Feature: Large sales
  As a sales person
  I want a message about each sale of mine over 10,000
  so that I call the customer on the same day.

  Background:
    Given sales over 10000 are reported
    And these sales people are known
      | person | name | mail            |
      | s1     | Ann  | ann@example.org |
      | s2     | Bob  | bob@example.org |

  Scenario: The person who made a large sale gets a message, and nobody about a small one
    When these sales are made
      | person | sale | customer | amount   |
      | s1     | n1   | north    | 10000    |
      | s1     | n2   | north    | 10000.01 |
      | s2     | n3   | south    | 25000    |
    Then the large sales are
      | person | sale | customer | amount   | name | mail            |
      | s1     | n2   | north    | 10000.01 | Ann  | ann@example.org |
      | s2     | n3   | south    | 25000    | Bob  | bob@example.org |
    And these messages are sent
      | to              | about               |
      | ann@example.org | A sale of 10,000.01 |
      | bob@example.org | A sale of 25,000.00 |

  Scenario: A sale that is reported again is one message
    When these sales are made
      | person | sale | customer | amount |
      | s1     | n1   | north    | 20000  |
      | s1     | n1   | north    | 20000  |
    Then these messages are sent
      | to              | about               |
      | ann@example.org | A sale of 20,000.00 |

  Scenario: The head of sales gets the message about a sale of somebody whose mail is not known
    When these sales are made
      | person | sale | customer | amount |
      | s9     | n1   | north    | 20000  |
    Then these messages are sent
      | to                        | about               |
      | head-of-sales@example.org | A sale of 20,000.00 |

  Scenario: A sale goes to the mail that the person has when it is made
    When these sales people are known
      | person | name | mail               |
      | s1     | Ann  | ann@new.example.org |
    And these sales are made
      | person | sale | customer | amount |
      | s1     | n1   | north    | 20000  |
    Then these messages are sent
      | to                  | about               |
      | ann@new.example.org | A sale of 20,000.00 |
