Feature: Captchas with a lookup of solved captchas
  In this variant the solved captchas of all browsers are known wherever actions are counted. They are looked up when a
  browser acts, so forgetting one leads to no request until the browser acts again.

  Background:
    Given captchas are requested with a lookup of solved captchas

  Scenario: A browser that has solved a captcha gets no more requests
    When chrome acts 5 times
    And chrome solves a captcha
    And chrome acts 2 times
    And firefox acts 5 times
    Then the captcha requests are
      | browser | actions |
      | chrome  | 5       |
      | firefox | 5       |

  Scenario: When a solved captcha is forgotten, the next action leads to a request
    When chrome solves a captcha
    And chrome acts 6 times
    And chrome acts 1 time
    And the solved captcha of chrome is forgotten
    Then there are no captcha requests
    When chrome acts 1 time
    Then the captcha requests are
      | browser | actions |
      | chrome  | 8       |
