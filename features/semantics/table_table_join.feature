Feature: Table-table join
  A left join of two tables emits a result when a row of either table changes. Here the number of actions of each browser is joined
  with its solved captcha; from three actions on, a result without a solved captcha is a request for one.

  Background:
    Given the counts of actions are left-joined with the table of solved captchas
    And the threshold is 3 actions

  Scenario: A change of the left table emits a result
    When these records arrive
      | topic   | key | value |
      | actions | ff  | click |
      | actions | ff  | click |
      | actions | ff  | click |
      | actions | ff  | click |
    Then these records are emitted
      | key | count |
      | ff  | 3     |
      | ff  | 4     |

  Scenario: A change of the right table emits a result as well
    When these records arrive
      | topic           | key | value |
      | actions         | ff  | click |
      | actions         | ff  | click |
      | actions         | ff  | click |
      | captchas-solved | ff  | true  |
      | actions         | ff  | click |
      | captchas-solved | ff  |       |
    Then these records are emitted
      | key | count |
      | ff  | 3     |
      | ff  | 4     |
