Feature: Resetting a flow on Kafka

  Scenario: A flow at work is refused; once it is stopped, its checkpoint, its group and the sink's own topics go
    Given topics on Kafka
    And these lines were written
      | line      |
      | to be     |
      | not to be |
    And the word count is at work and has told "to" with the count 2
    When somebody tries to reset the word count
    Then it says that the word count is running
    When the word count is stopped
    And the word count is reset with its output
    Then Kafka has neither a group nor a topic of the word count's own
    When the word count runs
    Then "to" was told with these counts: 2
