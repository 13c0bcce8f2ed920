Feature: Clicks with what was searched for
  A click is told together with who clicked, and with what the same user searched for up to a second before or after it.

  Background:
    Given the clickstream

  Scenario: A click shortly after a search, by a known user
    Given these profiles
      | user | name | zipcode | at  |
      | 1    | Anna | 94301   | 0 s |
    When this happens
      | what   | user | page or terms | at     |
      | search | 1    | wetsuit       | 1 s    |
      | click  | 1    | retro.html    | 1.5 s  |
    Then these activities are told
      | user | name | search  | page       | at    |
      | 1    | Anna | wetsuit | retro.html | 1.5 s |

  Scenario: A search after the click joins as well, at the time of the search
    When this happens
      | what   | user | page or terms | at    |
      | click  | 1    | retro.html    | 1 s   |
      | search | 1    | wetsuit       | 1.8 s |
    Then these activities are told
      | user | name | search  | page       | at    |
      | 1    |      | wetsuit | retro.html | 1.8 s |

  Scenario: A click without a search waits for the end of its window
    When this happens
      | what  | user | page or terms | at  |
      | click | 1    | retro.html    | 1 s |
    Then no activity is told
    When this happens
      | what  | user | page or terms | at    |
      | click | 2    | other.html    | 2.5 s |
    Then these activities are told
      | user | name | search | page       | at  |
      | 1    |      |        | retro.html | 1 s |

  Scenario: Every search in the window is told once for every click, by its time
    When this happens
      | what   | user | page or terms | at    |
      | search | 1    | late          | 1.2 s |
      | search | 1    | early         | 1 s   |
      | click  | 1    | retro.html    | 1.1 s |
    Then these activities are told
      | user | name | search | page       | at    |
      | 1    |      | early  | retro.html | 1.1 s |
      | 1    |      | late   | retro.html | 1.2 s |

  Scenario: With grace a click waits longer
    Given searches may come late by 2 s
    When this happens
      | what  | user | page or terms | at    |
      | click | 1    | retro.html    | 1 s   |
      | click | 2    | other.html    | 3.9 s |
    Then no activity is told
    When this happens
      | what   | user | page or terms | at    |
      | search | 1    | wetsuit       | 1.5 s |
    Then these activities are told
      | user | name | search  | page       | at    |
      | 1    |      | wetsuit | retro.html | 1.5 s |
