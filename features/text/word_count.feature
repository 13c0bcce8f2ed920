Feature: Word count
  As a reader
  I want to know how often each word occurs in the lines of a text.

  A word consists of ASCII letters, digits and underscores. Upper and lower case make no difference. The stop word "the" is not
  counted.

  Background:
    Given words are counted

  Scenario: Counts increase from line to line
    When these lines arrive
      | line              |
      | Hello the World   |
      | hello kafka hello |
    Then the counts are
      | word  | count |
      | hello | 1     |
      | world | 1     |
      | hello | 2     |
      | kafka | 1     |
      | hello | 3     |
    And the final counts are
      | word  | count |
      | hello | 3     |
      | kafka | 1     |
      | world | 1     |

  Scenario: A line without words counts nothing
    When these lines arrive
      | line      |
      | THE the   |
      | ... --- ! |
    Then there are no counts

  Scenario: Other stop words can be chosen
    Given the stop words are "a, of"
    When these lines arrive
      | line               |
      | The name of a rose |
    Then the final counts are
      | word | count |
      | name | 1     |
      | rose | 1     |
      | the  | 1     |
