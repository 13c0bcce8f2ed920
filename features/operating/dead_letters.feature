Feature: Dead letters
  As an operator
  I want records that cannot be read to be set aside with the reason, so that they stop nothing,
  and to redrive them to their topic once the cause is fixed.

  Background:
    Given trades are copied and counted

  Scenario: The trades before and after an unreadable one are processed
    When these trades arrive
      | key  | trade           |
      | MSFT | {"price": 10}   |
      | MSFT | {"price": dear} |
      | AAPL |                 |
      | MSFT | {"price": 12}   |
    And the flow runs
    Then 2 trades are copied
    And these trades are dead letters
      | key  | trade           | reason       |
      | MSFT | {"price": dear} | Invalid JSON |
      | AAPL |                 | EOF          |

  Scenario: A dead letter is redriven only once
    When these trades arrive
      | key  | trade           |
      | MSFT | {"price": dear} |
      | AAPL | {"price": "x"}  |
    And the flow runs
    And the dead letter of AAPL is redriven
    Then 1 record is redriven and 0 were redriven before
    When all dead letters are redriven
    Then 1 record is redriven and 1 was redriven before
    When all dead letters are redriven
    Then 0 records are redriven and 2 were redriven before
    And the topic of the trades contains 4 records

  Scenario: A record that fails again is a new dead letter, which can be redriven as well
    When these trades arrive
      | key  | trade           |
      | MSFT | {"price": dear} |
    And the flow runs
    And all dead letters are redriven
    And the flow runs
    Then there are 2 dead letters
    When all dead letters are redriven
    Then 1 record is redriven and 1 was redriven before
