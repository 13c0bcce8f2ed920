Feature: Captchas for browsers that act often
  As someone who keeps robots out
  I want a captcha requested from a browser at its fifth action and at every later one, until it has solved a captcha.

  Background:
    Given captchas are requested from browsers that act often

  Scenario: A captcha is requested at the fifth action of a browser and at every later one
    When chrome acts 6 times
    And firefox acts 4 times
    Then the captcha requests are
      | browser | actions |
      | chrome  | 5       |
      | chrome  | 6       |

  Scenario: A browser that has solved a captcha gets no more requests, whether it solved it before its fifth action or after
    When chrome acts 5 times
    And chrome solves a captcha
    And firefox solves a captcha
    And chrome acts 3 times
    And firefox acts 6 times
    And firefox solves a captcha
    Then the captcha requests are
      | browser | actions |
      | chrome  | 5       |

  Scenario: When a solved captcha is forgotten, a browser that acts often gets a request at once
    When chrome solves a captcha
    And firefox solves a captcha
    And chrome acts 7 times
    And firefox acts 4 times
    And the solved captcha of chrome is forgotten
    And the solved captcha of firefox is forgotten
    And firefox acts 1 time
    Then the captcha requests are
      | browser | actions |
      | chrome  | 7       |
      | firefox | 5       |
