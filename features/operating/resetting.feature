Feature: Resetting a flow
  As an operator
  I want to reset a flow after a mistake in it has been corrected, so that its next run processes everything from the beginning.

  A reset removes the state of the flow and how far it has read. The topics that it reads are never changed.

  Background:
    Given topic 'text-lines' contains these lines
      | line      |
      | to be     |
      | not to be |
    And the word count has run

  Scenario: The results of the next run are added to the old ones
    When the word count is reset
    Then the operator is warned that the old results in 'word-counts' remain
    When the word count runs
    Then the counts of "to" in 'word-counts' are 1, 2, 1, 2

  Scenario: When its output is removed as well, only the results of the next run remain
    When the word count is reset with its output
    And the word count runs
    Then the counts of "to" in 'word-counts' are 1, 2

  Scenario: A dry run shows what a reset would remove, and changes nothing
    When the operator asks what a reset of the word count with its output would remove
    Then the records of topic 'word-counts' are shown
    And nothing is changed
    And the counts of "to" in 'word-counts' are 1, 2

  Scenario: A second reset has nothing to remove
    When the word count is reset with its output
    And the word count is reset with its output
    Then the operator sees that there is nothing to reset
