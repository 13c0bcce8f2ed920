Feature: Captchas for browsers that act often
  A browser is asked for a captcha from its third action on, until it has solved one.

  Background:
    Given captchas from 3 actions on

  Scenario: Asked at the third action and at every one after
    When these browsers act: ff ff ff ff
    Then these captchas are asked for
      | browser | actions |
      | ff      | 3       |
      | ff      | 4       |

  Scenario: A solved captcha ends it, and when that is forgotten the question is back at once
    When these browsers act: ff ff ff
    And ff solves a captcha
    And these browsers act: ff
    And it is forgotten that ff solved a captcha
    Then these captchas are asked for
      | browser | actions |
      | ff      | 3       |
      | ff      | 4       |

  Scenario: In a global table solved captchas are looked up, and bring no question by themselves
    Given solved captchas in a global table
    When these browsers act: ff ff
    And ff solves a captcha
    And these browsers act: ff
    And it is forgotten that ff solved a captcha
    And these browsers act: ff
    Then these captchas are asked for
      | browser | actions |
      | ff      | 4       |
