Feature: Join with a global table
  A stream that is joined with a global table looks up its rows; a change of the global table emits nothing. Here the updates of the
  number of actions of each browser look up its solved captcha; from three actions on, a result without one is a request for it.

  Scenario: A global table is only looked up, so its changes emit nothing
    Given the counts of actions are left-joined with the global table of solved captchas
    And the threshold is 3 actions
    When these records arrive
      | topic           | key | value |
      | actions         | ff  | click |
      | actions         | ff  | click |
      | captchas-solved | ff  | true  |
      | actions         | ff  | click |
      | captchas-solved | ff  |       |
      | actions         | ff  | click |
    Then these records are emitted
      | key | count |
      | ff  | 4     |
