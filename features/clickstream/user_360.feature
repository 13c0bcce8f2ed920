Feature: Users from all sides
  As a marketer
  I want to see who a user is and what it does, minute by minute.

  Background:
    Given users are viewed from all sides

  Scenario: Clicks and searches of a minute are shown with the profile of the user
    When these profiles arrive
      | user | name | zipcode | interests     |
      | 1    | Anna | 94301   | surfing, hats |
    And these events arrive
      | event  | user | page or search | time |
      | click  | 1    | /home          | 1 s  |
      | search | 1    | wetsuit        | 5 s  |
      | click  | 1    | /suits         | 6 s  |
      | click  | 1    | /home          | 59 s |
      | click  | 1    | /sale          | 60 s |
    Then the last views are
      | user | minute | name | zipcode | interests     | clicks | pages         | searches |
      | 1    | 0 s    | Anna | 94301   | surfing, hats | 3      | /home, /suits | wetsuit  |
      | 1    | 1 min  | Anna | 94301   | surfing, hats | 1      | /sale         |          |

  Scenario: A user without a profile is shown as well
    When these events arrive
      | event  | user | page or search | time |
      | search | 2    | hat            | 1 s  |
    Then the last views are
      | user | minute | name | zipcode | interests | clicks | pages | searches |
      | 2    | 0 s    |      |         |           | 0      |       | hat      |

  Scenario: A late click counts in its minute for 10 seconds
    When these events arrive
      | event  | user | page or search | time     |
      | click  | 1    | /home          | 1 s      |
      | click  | 1    | /sale          | 69.999 s |
      | click  | 1    | /late          | 2 s      |
      | click  | 1    | /sale          | 70 s     |
      | click  | 1    | /too-late      | 3 s      |
    Then the last views are
      | user | minute | name | zipcode | interests | clicks | pages        | searches |
      | 1    | 1 min  |      |         |           | 2      | /sale        |          |
      | 1    | 0 s    |      |         |           | 2      | /home, /late |          |
