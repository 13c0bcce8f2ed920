Feature: Captchas for browsers that act too often, with solved captchas known everywhere
  All solved captchas are known wherever actions are counted. They are looked up when a browser acts, and never ask by themselves.

  Background:
    Given captchas with solved ones known everywhere

  Scenario: A solved captcha ends the asking
    When chrome acts 5 times
    And chrome solves a captcha
    And chrome acts 2 times
    And firefox acts 5 times
    Then these captchas are asked for
      | browser | actions |
      | chrome  | 5       |
      | firefox | 5       |

  Scenario: When a solved captcha is forgotten the question waits for the next action, over a restart too
    When chrome solves a captcha
    And chrome acts 6 times
    And the flow is restarted
    And chrome acts 1 time
    And it is forgotten that chrome solved a captcha
    Then no captcha is asked for
    When chrome acts 1 time
    Then these captchas are asked for
      | browser | actions |
      | chrome  | 8       |
