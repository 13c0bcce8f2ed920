Feature: Captchas for browsers that act fast
  In this variant a captcha is requested for five actions within a window of five seconds. A new window starts every two seconds,
  so an action belongs to two or three windows.

  Background:
    Given captchas are requested from browsers that act fast

  Scenario: A captcha is requested for every window that contains five actions
    When firefox acts at 0 s, 3 s, 6 s, 9 s, 12 s, 15 s
    And chrome acts at 16 s, 16.5 s, 17 s, 18 s, 18.5 s, 20.999 s
    Then the captcha requests are
      | browser | actions | from | to   |
      | chrome  | 5       | 14 s | 19 s |
      | chrome  | 5       | 16 s | 21 s |
      | chrome  | 6       | 16 s | 21 s |

  Scenario: An action that arrives out of order counts only in the windows that are still open
    When chrome acts at 2 s, 2.1 s, 2.2 s, 6 s, 5.9 s, 2.3 s, 9 s, 3.9 s
    Then the captcha requests are
      | browser | actions | from | to  |
      | chrome  | 5       | 2 s  | 7 s |
      | chrome  | 6       | 2 s  | 7 s |

  Scenario: A solved captcha ends the requests for every window
    When chrome acts at 2 s, 2.1 s, 2.2 s, 3.9 s
    And chrome acts at 3.9 s
    And chrome solves a captcha
    And chrome acts at 3.9 s, 10 s, 10 s, 10 s, 10 s, 10 s
    Then the captcha requests are
      | browser | actions | from | to  |
      | chrome  | 5       | 0 s  | 5 s |
      | chrome  | 5       | 2 s  | 7 s |
