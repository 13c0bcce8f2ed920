Feature: Dead letters
  A record that cannot be read stops nothing. It is put aside as it is, with the reason, and goes back to its topic when somebody
  says so, once.

  Background:
    Given trades are copied and counted

  Scenario: The trades around an unreadable one come through
    When these trades come in
      | key  | trade           |
      | MSFT | {"price": 10}   |
      | MSFT | {"price": dear} |
      | AAPL |                 |
      | MSFT | {"price": 12}   |
    And the flow runs
    Then 2 trades are copied
    And these are dead letters
      | key  | trade           | reason       |
      | MSFT | {"price": dear} | Invalid JSON |
      | AAPL |                 | EOF          |

  Scenario: A letter goes back once, however often that is asked for
    When these trades come in
      | key  | trade           |
      | MSFT | {"price": dear} |
      | AAPL | {"price": "x"}  |
    And the flow runs
    And the letter of AAPL is redriven
    Then 1 is written and 0 are in already
    When all letters are redriven
    Then 1 is written and 1 are in already
    When all letters are redriven
    Then 0 are written and 2 are in already
    And the topic of trades holds 4 records

  Scenario: What fails again is a new letter and can go back again
    When these trades come in
      | key  | trade           |
      | MSFT | {"price": dear} |
    And the flow runs
    And all letters are redriven
    And the flow runs
    Then there are 2 dead letters
    When all letters are redriven
    Then 1 is written and 1 are in already
