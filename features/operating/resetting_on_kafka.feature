@services @spark @slow
Feature: Resetting a flow on Kafka
  On Kafka, a reset also removes the consumer group of the flow and the topics that its sink uses for its own purposes.

  Scenario: A running flow is not reset; after it has stopped, everything that belongs to it is removed
    Given topics are on Kafka
    And topic 'text-lines' contains these lines
      | line      |
      | to be     |
      | not to be |
    And the word count is running and has counted "to" 2 times
    When the operator tries to reset the word count
    Then the reset is refused because the word count is running
    When the word count is stopped
    And the word count is reset with its output
    Then Kafka has no group and no topic that belongs to the word count
    When the word count runs
    Then the counts of "to" in 'word-counts' are 1, 2
