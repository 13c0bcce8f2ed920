Feature: Captchas for browsers that act too often
  A browser that has acted five times or more is asked for a captcha at every action, until it has solved one.

  Background:
    Given captchas for browsers that act often

  Scenario: A browser is asked at its fifth action and at every one after, and others are not
    When chrome acts 6 times
    And firefox acts 4 times
    Then these captchas are asked for
      | browser | actions |
      | chrome  | 5       |
      | chrome  | 6       |

  Scenario: A solved captcha ends the asking, before the fifth action or after
    When chrome acts 5 times
    And chrome solves a captcha
    And firefox solves a captcha
    And chrome acts 3 times
    And firefox acts 6 times
    And firefox solves a captcha
    Then these captchas are asked for
      | browser | actions |
      | chrome  | 5       |

  Scenario: When a solved captcha is forgotten the question is back at once, for one that acts often
    When chrome solves a captcha
    And firefox solves a captcha
    And chrome acts 7 times
    And firefox acts 4 times
    And it is forgotten that chrome solved a captcha
    And it is forgotten that firefox solved a captcha
    And firefox acts 1 time
    Then these captchas are asked for
      | browser | actions |
      | chrome  | 7       |
      | firefox | 5       |

  Scenario: What cannot be read is put aside, and a restart forgets neither actions nor captchas
    When chrome acts 4 times
    And firefox acts 4 times
    And firefox solves a captcha
    And "{torn" comes into actions under chrome
    And "7" comes into captchas-solved under chrome
    And the flow is restarted
    And firefox acts 2 times
    And chrome acts 1 time
    Then these captchas are asked for
      | browser | actions |
      | chrome  | 5       |
    And these dead letters are kept
      | topic           | value | reason                                                |
      | actions         | {torn | Invalid JSON: key must be a string at line 1 column 2 |
      | captchas-solved | 7     | expected dict, found int 7                            |
