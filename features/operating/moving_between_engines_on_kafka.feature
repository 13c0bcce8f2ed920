@services @spark @slow
Feature: Moving a flow between engines on Kafka
  As an operator
  I want to move a flow whose topics are on Kafka to the other engine and back, while all its results are written exactly once.

  Scenario Outline: A flow on Kafka goes on where the other engine has stopped
    Given the topics of the flow <flow> are on Kafka
    And it has processed the first of its records on <first>
    When it goes on with more records on <second>
    And it goes on with the other records on <first>
    Then its results are those of a flow that was never moved

    Examples:
      | flow        | first            | second           |
      | stock-stats | the engine local | Spark            |
      | inventory   | Spark            | the engine local |
