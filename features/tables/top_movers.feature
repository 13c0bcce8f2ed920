Feature: The shares that moved most
  Every change of a share's day changes the list that it stands in: the old day leaves it and the new one enters at once.

  Scenario: The greatest moves up or down come first
    Given the first 2 movers
    When these days are told
      | share | open | close | sector |
      | A     | 100  | 110   |        |
      | B     | 100  | 80    |        |
      | C     | 100  | 101   |        |
    Then the list of all is at last B A

  Scenario: A share that moves less than before gives its place away
    Given the first 2 movers
    When these days are told
      | share | open | close | sector |
      | A     | 100  | 150   |        |
      | B     | 100  | 140   |        |
      | A     | 100  | 101   |        |
    Then the lists of all are
      | shares |
      | A      |
      | A B    |
      | B A    |

  Scenario: A share that changes its sector leaves one list before it enters the other
    Given the first 5 movers of each sector
    When these days are told
      | share | open | close | sector |
      | A     | 100  | 150   | tech   |
      | B     | 100  | 140   | tech   |
      | A     | 100  | 150   | food   |
    Then the list of tech is at last B
    And the list of food is at last A

  Scenario: A share without a sector is in no list
    Given the first 5 movers of each sector
    When these days are told
      | share | open | close | sector |
      | A     | 100  | 150   | tech   |
      | A     | 100  | 150   |        |
    Then the list of tech is at last empty

  Scenario: A day that is withdrawn leaves the list
    Given the first 2 movers
    When these days are told
      | share | open | close | sector |
      | A     | 100  | 150   |        |
      | B     | 100  | 110   |        |
      | A     |      |       |        |
    Then the list of all is at last B
