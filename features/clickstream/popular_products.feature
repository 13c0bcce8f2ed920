Feature: Popular products
  As a shop owner
  I want one alert when a page has been viewed so often that its product is popular.

  Background:
    Given a page is popular at 3 views

  Scenario: The view that reaches the threshold raises an alert, later views do not
    When these pages are viewed
      | visitor | page |
      | ann     | home |
      | bob     | home |
      | ann     | cart |
      | cid     | home |
      | ann     | home |
    Then the alerts are
      | page | views |
      | home | 3     |
