@spark
Feature: Moving a flow between engines
  As an operator
  I want to start small, with one process and without Java, and to move the same flow to Spark when it grows, and back.

  Scenario Outline: A flow goes on where the other engine has stopped
    Given the flow <flow> has processed the first of its records on the engine local
    When it goes on with more records on Spark
    And it goes on with the other records on the engine local
    Then its results are those of a flow that was never moved

    Examples:
      | flow        |
      | stock-stats |
      | inventory   |

  Scenario: State that was moved is not continued where it was
    Given the flow inventory has processed the first of its records on the engine local
    When it goes on with more records on Spark
    Then the engine local refuses to go on with it
