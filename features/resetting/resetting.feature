Feature: Resetting a flow
  A flow that is reset forgets how far it has come and what it has counted. Its next run reads everything from the beginning
  and works it out again. What it reads is never touched.

  Background:
    Given these lines were written
      | line      |
      | to be     |
      | not to be |
    And the word count has run

  Scenario: The results of the next run come on top of the old ones
    When the word count is reset
    Then it says that the next run appends its results to 'word-counts'
    When the word count runs
    Then "to" was told with these counts: 2, 2

  Scenario: With its output removed, only what the next run tells is there
    When the word count is reset with its output
    And the word count runs
    Then "to" was told with these counts: 2

  Scenario: Whoever only looks changes nothing
    When somebody looks what resetting the word count with its output would remove
    Then it shows the records of topic 'word-counts'
    And it says that nothing was changed
    And "to" was told with these counts: 2

  Scenario: A second reset finds nothing to do
    When the word count is reset with its output
    And the word count is reset with its output
    Then it says that there is nothing to reset
