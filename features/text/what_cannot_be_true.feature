Feature: What cannot be true is set aside
  As a reader
  I want lines that are no text to be set aside with the reason, so that their words are not counted.

  Scenario: A line is text
    Given words are counted
    When these lines arrive
      | line |
      | rose |
    And the unreadable value '\xff\xfe' arrives in topic 'text-lines' for book
    And these lines arrive
      | line |
      | rose |
    Then the final counts are
      | word | count |
      | rose | 2     |
    And the dead letters are
      | topic      | value    | reason                      |
      | text-lines | \xff\xfe | string: not UTF-8 at byte 0 |
