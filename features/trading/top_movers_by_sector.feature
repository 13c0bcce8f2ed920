Feature: Top movers by sector
  Each sector has its own list. A share that changes its sector leaves the old list and enters the new one.

  Scenario: A share is listed in its current sector only
    Given the top 2 movers of each sector are listed
    When these daily prices arrive
      | share | open | close | sector |
      | A     | 100  | 150   | tech   |
      | B     | 100  | 140   | tech   |
      | C     | 100  | 130   | tech   |
      | D     | 100  | 120   | food   |
      | E     | 100  | 190   |        |
    Then the top movers in tech are A, B
    And the top movers in food are D
    When these daily prices arrive
      | share | open | close | sector |
      | A     | 100  | 150   | food   |
    Then the top movers in tech are B, C
    And the top movers in food are A, D
    When the daily price of A is withdrawn
    And these daily prices arrive
      | share | open | close | sector |
      | D     | 100  | 120   |        |
      | C     | 100  | 180   | tech   |
    Then the top movers in tech are C, B
    And the list for food is empty
