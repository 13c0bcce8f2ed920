Feature: The shares that moved most in each sector
  Each sector has a list of its own. A share that changes its sector leaves the old list as it enters the new one.

  Scenario: A share is in the list of its sector alone, however it gets there, over a restart too
    Given the 2 top movers of each sector
    When these days are told
      | share | open | close | sector |
      | A     | 100  | 150   | tech   |
      | B     | 100  | 140   | tech   |
      | C     | 100  | 130   | tech   |
      | D     | 100  | 120   | food   |
      | E     | 100  | 190   |        |
    Then the top movers of tech are at last A B
    And the top movers of food are at last D
    When the flow is restarted
    And these days are told
      | share | open | close | sector |
      | A     | 100  | 150   | food   |
    Then the top movers of tech are at last B C
    And the top movers of food are at last A D
    When the day of A is withdrawn
    And these days are told
      | share | open | close | sector |
      | D     | 100  | 120   |        |
      | C     | 100  | 180   | tech   |
    Then the top movers of tech are at last C B
    And the top movers of food are at last nobody
