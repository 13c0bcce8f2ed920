Feature: Popular products
  The shop wants to know, once, when a page has been seen so often that its product is popular.

  Background:
    Given a page is popular at 3 views

  Scenario: The view that reaches the number alerts, later ones do not
    When these pages are seen
      | visitor | page |
      | ann     | home |
      | bob     | home |
      | ann     | cart |
      | cid     | home |
      | ann     | home |
    Then these alerts are given
      | page | views |
      | home | 3     |

  Scenario: Views that name no page do not count
    When these pages are seen
      | visitor | page |
      | ann     |      |
      | bob     |      |
      | cid     |      |
    Then no alert is given
