Feature: What cannot be true is set aside
  As a product manager
  I want views and clicks without a page to be set aside with the reason, so that they count nowhere.

  Scenario: A view is of a page
    Given a page is popular at 2 views
    When these views are reported
      | visitor | page |
      | ann     | home |
      | bob     |      |
      | bob     | 404  |
      | bob     | " "  |
      | cid     | home |
    Then the alerts are
      | page | views |
      | home | 2     |
    And these views are set aside
      | page | reason                                                      |
      |      | PageView: page: Field required                              |
      | 404  | PageView: page: Input should be a valid string, not 404     |
      | " "  | PageView: page is ' '; it must be a text that is not empty |

  Scenario: A click is on a page, by a user
    Given clicks are enriched with profiles and searches
    When these clicks are reported
      | user | user id | page       |
      | 1    | ann     |            |
      | 1    |         | suits.html |
    Then there are no activities yet
    And these clicks are set aside
      | user id | page       | reason                        |
      | ann     |            | Click: page: Field required   |
      |         | suits.html | Click: userId: Field required |
