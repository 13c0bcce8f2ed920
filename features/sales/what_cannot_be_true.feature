Feature: What cannot be true is set aside
  As a sales person
  I want sales that nobody can have made to be set aside with the reason, so that I get no message about them.

  Scenario: A sale has a name, a customer and an amount above zero
    Given sales over 10000 are reported
    When these sales are reported
      | person | sale | customer | amount |
      | s1     | n1   | north    | 20000  |
      | s1     | n2   | north    | -20000 |
      | s1     | n3   |          | 20000  |
    Then the large sales are
      | person | sale | customer | amount |
      | s1     | n1   | north    | 20000  |
    And these sales are set aside
      | sale | customer | amount | reason                                                      |
      | n2   | north    | -20000 | Sale: amount is -20000.0; it must be a number above 0       |
      | n3   |          | 20000  | Sale: customer: Field required                              |
