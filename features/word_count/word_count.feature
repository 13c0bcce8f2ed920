Feature: Word count
  How often each word occurs in the lines that come in. Words are told apart by what is neither an ASCII letter, a digit nor an
  underscore; capital letters make no difference; "the" is left out.

  Background:
    Given the word count

  Scenario: Counts grow from line to line
    When these lines come in
      | line              |
      | Hello the World   |
      | hello kafka hello |
    Then these counts are told
      | word  | count |
      | hello | 1     |
      | world | 1     |
      | hello | 2     |
      | kafka | 1     |
      | hello | 3     |
    And the counts are at last
      | word  | count |
      | hello | 3     |
      | kafka | 1     |
      | world | 1     |

  Scenario: A line without words counts nothing
    When these lines come in
      | line      |
      | THE the   |
      | ... --- ! |
    Then nothing is told

  Scenario: Other stop words may be chosen
    Given the stop words are "a, of"
    When these lines come in
      | line                  |
      | The name of a rose    |
    Then the counts are at last
      | word | count |
      | name | 1     |
      | rose | 1     |
      | the  | 1     |
