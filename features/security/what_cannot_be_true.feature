Feature: What cannot be true is set aside
  As someone who looks for malware and keeps robots out
  I want connections and captchas that cannot be true to be set aside with the reason, so that no beacon is found in them, and no
  robot counts as a human.

  Scenario: A connection is to a destination, at a time
    Given the calls of each host are checked by the hour
    When these connections are reported
      | host | destination  | at    |
      | pc-7 |              | 60000 |
      | pc-7 | evil.example |       |
      | pc-7 | evil.example | -1    |
    Then there are no beacons
    And these connections are set aside
      | destination  | at    | reason                                                         |
      |              | 60000 | Connection: destination: Field required                        |
      | evil.example |       | Connection: at: Field required                                 |
      | evil.example | -1    | Connection: at is -1; it must be a whole number of at least 0 |

  Scenario: A wrong answer solves no captcha
    Given captchas are requested from browsers that act often
    When chrome acts 4 times
    And these captcha answers are reported
      | browser | ok    |
      | chrome  | false |
      | chrome  |       |
      | chrome  | maybe |
    And chrome acts 1 time
    Then the captcha requests are
      | browser | actions |
      | chrome  | 5       |
    And these captcha answers are set aside
      | ok    | reason                                                                          |
      | false | SolvedCaptcha: ok is False; it must be True: a wrong answer solves no captcha |
      |       | SolvedCaptcha: ok: Field required                                               |
      | maybe | SolvedCaptcha: ok: Input should be a valid boolean, not 'maybe'             |
