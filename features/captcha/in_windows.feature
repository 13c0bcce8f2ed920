Feature: Captchas for browsers that act too fast
  Here five actions count only within five seconds. Every two seconds such a span begins, so an action falls into two or three.

  Background:
    Given captchas for browsers that act fast

  Scenario: A browser is asked for every span in which it acts five times
    When firefox acts at 0 s, 3 s, 6 s, 9 s, 12 s, 15 s
    And chrome acts at 16 s, 16.5 s, 17 s, 18 s, 18.5 s, 20.999 s
    Then these captchas are asked for
      | browser | actions | from | to   |
      | chrome  | 5       | 14 s | 19 s |
      | chrome  | 5       | 16 s | 21 s |
      | chrome  | 6       | 16 s | 21 s |

  Scenario: An action out of order counts in the spans that are not over, one that is late for all in none
    When chrome acts at 2 s, 2.1 s, 2.2 s, 6 s, 5.9 s, 2.3 s, 9 s, 3.9 s
    Then these captchas are asked for
      | browser | actions | from | to  |
      | chrome  | 5       | 2 s  | 7 s |
      | chrome  | 6       | 2 s  | 7 s |

  Scenario: A solved captcha ends the asking in every span, over a restart too
    When chrome acts at 2 s, 2.1 s, 2.2 s, 3.9 s
    And the flow is restarted
    And chrome acts at 3.9 s
    And chrome solves a captcha
    And chrome acts at 3.9 s, 10 s, 10 s, 10 s, 10 s, 10 s
    Then these captchas are asked for
      | browser | actions | from | to  |
      | chrome  | 5       | 0 s  | 5 s |
      | chrome  | 5       | 2 s  | 7 s |
