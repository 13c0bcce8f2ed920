Feature: User activity on the site
  As a marketer
  I want every click together with who clicked and what they searched for
  so that I learn which searches lead to which pages.

  The profile is the one that is known when the click arrives; the search is one of the same user within a second before or after
  the click. No click is lost: what is not known about it stays empty.

  Background:
    Given clicks are enriched with profiles and searches

  Scenario: A click is enriched with the user's profile and search
    When these profiles arrive
      | user | name | zipcode | interests     |
      | 1    | Anna | 94301   | surfing, hats |
    And these events arrive
      | event  | user | page or search | time  |
      | search | 1    | wetsuit        | 1 s   |
      | click  | 1    | suits.html     | 1.5 s |
    Then the activities are
      | user | name | zipcode | interests     | search  | page       | time  |
      | 1    | Anna | 94301   | surfing, hats | wetsuit | suits.html | 1.5 s |

  Scenario: A click is enriched with the profile that is known when the click arrives
    When these events arrive
      | event  | user | page or search | time  |
      | search | 1    | hat            | 1 s   |
      | click  | 1    | new.html       | 1 s   |
    And these profiles arrive
      | user | name | zipcode | interests |
      | 1    | Anna | 94301   | surfing   |
    And these events arrive
      | event  | user | page or search | time  |
      | click  | 1    | first.html     | 1.1 s |
    And these profiles arrive
      | user | name | zipcode | interests |
      | 1    | Ann  | 10115   |           |
    And these events arrive
      | event  | user | page or search | time  |
      | click  | 1    | moved.html     | 1.2 s |
    And the profile of user 1 is deleted
    And these events arrive
      | event  | user | page or search | time  |
      | click  | 1    | gone.html      | 1.3 s |
    Then the activities are
      | user | name | zipcode | interests | search | page       | time  |
      | 1    |      |         |           | hat    | new.html   | 1 s   |
      | 1    | Anna | 94301   | surfing   | hat    | first.html | 1.1 s |
      | 1    | Ann  | 10115   |           | hat    | moved.html | 1.2 s |
      | 1    |      |         |           | hat    | gone.html  | 1.3 s |

  Scenario: A click without a search becomes an activity as soon as no search can match it any more
    When these events arrive
      | event  | user | page or search | time    |
      | search | 1    | too early      | 1 s     |
      | click  | 1    | a.html         | 2.001 s |
      | search | 2    | other user     | 3.001 s |
    Then there are no activities yet
    When these events arrive
      | event  | user | page or search | time    |
      | search | 1    | too late       | 3.002 s |
    Then the activities are
      | user | name | zipcode | interests | search | page   | time    |
      | 1    |      |         |           |        | a.html | 2.001 s |

  Scenario: A search that arrives out of order still matches its click
    When these events arrive
      | event  | user | page or search | time  |
      | click  | 1    | suits.html     | 1 s   |
      | search | 2    | other          | 1.9 s |
      | search | 1    | wetsuit        | 0.5 s |
    Then the activities are
      | user | name | zipcode | interests | search  | page       | time |
      | 1    |      |         |           | wetsuit | suits.html | 1 s  |

  Scenario: A search that arrives after its click has become an activity changes nothing
    When these events arrive
      | event  | user | page or search | time  |
      | click  | 1    | suits.html     | 1 s   |
      | click  | 2    | other.html     | 5 s   |
      | search | 1    | wetsuit        | 1.5 s |
    Then the activities are
      | user | name | zipcode | interests | search | page       | time |
      | 1    |      |         |           |        | suits.html | 1 s  |
