Feature: What users do on the site
  Every click is told as an activity: who clicked, as their profile stands at that moment, and what they searched for up to a
  second before or after. A click is never lost: what is not known about it stays empty.

  Background:
    Given the clickstream

  Scenario: A click is told with the user's profile and search
    When these profiles are given
      | user | name | zipcode | interests     |
      | 1    | Anna | 94301   | surfing, hats |
    And this happens
      | what   | user | page or terms | at    |
      | search | 1    | wetsuit       | 1 s   |
      | click  | 1    | suits.html    | 1.5 s |
    Then these activities are told
      | user | name | zipcode | interests     | search  | page       | at    |
      | 1    | Anna | 94301   | surfing, hats | wetsuit | suits.html | 1.5 s |

  Scenario: A click is told with the profile as it stands when the click comes
    When this happens
      | what   | user | page or terms | at    |
      | search | 1    | hat           | 1 s   |
      | click  | 1    | new.html      | 1 s   |
    And these profiles are given
      | user | name | zipcode | interests |
      | 1    | Anna | 94301   | surfing   |
    And this happens
      | what   | user | page or terms | at    |
      | click  | 1    | first.html    | 1.1 s |
    And these profiles are given
      | user | name | zipcode | interests |
      | 1    | Ann  | 10115   |           |
    And this happens
      | what   | user | page or terms | at    |
      | click  | 1    | moved.html    | 1.2 s |
    And the profile of 1 is deleted
    And this happens
      | what   | user | page or terms | at    |
      | click  | 1    | gone.html     | 1.3 s |
    Then these activities are told
      | user | name | zipcode | interests | search | page       | at    |
      | 1    |      |         |           | hat    | new.html   | 1 s   |
      | 1    | Anna | 94301   | surfing   | hat    | first.html | 1.1 s |
      | 1    | Ann  | 10115   |           | hat    | moved.html | 1.2 s |
      | 1    |      |         |           | hat    | gone.html  | 1.3 s |

  Scenario: A click that no search belongs to is told without one, once none can come any more
    When this happens
      | what   | user | page or terms | at      |
      | search | 1    | too early     | 1 s     |
      | click  | 1    | a.html        | 2.001 s |
      | search | 2    | of another    | 3.001 s |
    Then no activity is told
    When this happens
      | what   | user | page or terms | at      |
      | search | 1    | too late      | 3.002 s |
    Then these activities are told
      | user | name | zipcode | interests | search | page   | at      |
      | 1    |      |         |           |        | a.html | 2.001 s |

  Scenario: A search that comes in behind a later one still finds its click
    When this happens
      | what   | user | page or terms | at    |
      | click  | 1    | suits.html    | 1 s   |
      | search | 2    | other         | 1.9 s |
      | search | 1    | wetsuit       | 0.5 s |
    Then these activities are told
      | user | name | zipcode | interests | search  | page       | at  |
      | 1    |      |         |           | wetsuit | suits.html | 1 s |

  Scenario: A search that comes after its click was told without one changes nothing
    When this happens
      | what   | user | page or terms | at    |
      | click  | 1    | suits.html    | 1 s   |
      | click  | 2    | other.html    | 5 s   |
      | search | 1    | wetsuit       | 1.5 s |
    Then these activities are told
      | user | name | zipcode | interests | search | page       | at  |
      | 1    |      |         |           |        | suits.html | 1 s |

  Scenario: What cannot be read is put aside with the reason, and all else goes on
    When "{torn" comes into clicks under 1
    And "[]" comes into profiles under 1
    And this happens
      | what   | user | page or terms | at    |
      | search | 1    | wetsuit       | 1 s   |
      | click  | 1    | suits.html    | 1.5 s |
    Then these activities are told
      | user | name | zipcode | interests | search  | page       | at    |
      | 1    |      |         |           | wetsuit | suits.html | 1.5 s |
    And these dead letters are kept
      | topic    | value | reason                                                       |
      | clicks   | {torn | Click: Invalid JSON: key must be a string at line 1 column 2 |
      | profiles | []    | expected dict, found list []                                 |

  Scenario: A restart forgets neither profiles nor clicks that wait
    When these profiles are given
      | user | name | zipcode | interests |
      | 1    | Anna | 94301   |           |
    And this happens
      | what   | user | page or terms | at    |
      | click  | 1    | suits.html    | 1 s   |
      | click  | 2    | lonely.html   | 1.2 s |
    And the flow is restarted
    And this happens
      | what   | user | page or terms | at    |
      | search | 1    | wetsuit       | 1.8 s |
      | click  | 1    | hats.html     | 1.9 s |
      | click  | 3    | later.html    | 3 s   |
    Then these activities are told
      | user | name | zipcode | interests | search  | page        | at    |
      | 1    | Anna | 94301   |           | wetsuit | suits.html  | 1.8 s |
      | 1    | Anna | 94301   |           | wetsuit | hats.html   | 1.9 s |
      | 2    |      |         |           |         | lonely.html | 1.2 s |
