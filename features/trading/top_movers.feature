Feature: Top movers of the day
  As an investor
  I want a list of the shares that moved most between open and close, up or down, updated with every change.

  A share is listed once, with its latest daily price. A price that is corrected or withdrawn leaves no trace in the list.

  Scenario: The list starts with the greatest moves, orders equal moves by name, and is no longer than asked for
    Given the top 3 movers are listed
    When these daily prices arrive
      | share | open | close |
      | C     | 100  | 101   |
      | E     | 200  | 180   |
      | D     | 100  | 110   |
      | B     | 50   | 30    |
      | A     | 90   | 90    |
    Then the list changes to
      | top movers                   |
      | C +1.0%                      |
      | E -10.0%, C +1.0%            |
      | D +10.0%, E -10.0%, C +1.0%  |
      | B -40.0%, D +10.0%, E -10.0% |
      | B -40.0%, D +10.0%, E -10.0% |

  Scenario: Ten shares are listed by default
    Given the top movers are listed
    When these daily prices arrive
      | share | open | close |
      | A     | 100  | 101   |
      | B     | 100  | 102   |
      | C     | 100  | 103   |
      | D     | 100  | 104   |
      | E     | 100  | 105   |
      | F     | 100  | 106   |
      | G     | 100  | 107   |
      | H     | 100  | 108   |
      | I     | 100  | 109   |
      | J     | 100  | 110   |
      | K     | 100  | 111   |
    Then the top movers are K, J, I, H, G, F, E, D, C, B

  Scenario: A corrected price replaces the old one, and a withdrawn one makes room for the next share
    Given the top movers are listed
    When these daily prices arrive
      | share | open | close |
      | A     | 100  | 150   |
      | B     | 100  | 140   |
      | C     | 100  | 130   |
      | D     | 100  | 120   |
      | A     | 100  | 125   |
    And the daily price of B is withdrawn
    And the daily price of B is withdrawn
    And the daily price of Z is withdrawn
    Then the top movers are C, A, D
