Feature: What cannot be true is set aside
  As a reader
  I want lines that are no text to be set aside with the reason, so that their words are not counted.

  Scenario: A line is text
    Given words are counted
    When these lines arrive
      | line |
      | rose |
    And a line arrives that is no text
    And these lines arrive
      | line |
      | rose |
    Then the final counts are
      | word | count |
      | rose | 2     |
    And 1 line is set aside
