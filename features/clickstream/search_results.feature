Feature: Results of searches
  As the owner of a site
  I want to know which pages users open after each search, and from which searches they open none
  so that I can improve the results, and learn what users miss.

  Background:
    Given clicks count as results of a search for 30 seconds

  Scenario: Pages are ranked by how often they were opened after a query
    When these events arrive
      | event  | user | page or search | time |
      | search | 1    | red shoes      | 1 s  |
      | click  | 1    | /boots         | 3 s  |
      | click  | 1    | /sandals       | 31 s |
      | search | 2    | Red  Shoes     | 32 s |
      | click  | 2    | /sandals       | 40 s |
    Then the results of "red shoes" are
      | page     | clicks |
      | /sandals | 2      |
      | /boots   | 1      |

  Scenario: A search that is followed by no click of its user in time is counted as such
    When these events arrive
      | event  | user | page or search  | time     |
      | search | 1    | eclipse glasses | 1 s      |
      | click  | 2    | /home           | 2 s      |
      | click  | 1    | /home           | 31.001 s |
      | search | 1    | red shoes       | 62 s     |
    Then "eclipse glasses" was followed by no click 1 time

  Scenario: Clicks are counted per page and per zip code of the user
    When these profiles arrive
      | user | name | zipcode |
      | 1    | Anna | 94301   |
      | 2    | Bob  | 10115   |
    And these events arrive
      | event  | user | page or search | time |
      | click  | 1    | /home          | 1 s  |
      | click  | 2    | /home          | 2 s  |
      | click  | 1    | /sale          | 3 s  |
      | click  | 3    | /sale          | 4 s  |
    Then the clicks per page are
      | page  | clicks |
      | /home | 2      |
      | /sale | 2      |
    And the clicks per zip code are
      | zip code | clicks |
      | 10115    | 1      |
      | 94301    | 2      |
