Feature: The shares that moved most in a day
  The first of all shares by how much they moved from open to close, up or down, told anew at each change. A share stands in a
  list once, with its latest day: what is corrected or withdrawn leaves no trace.

  Scenario: The greatest moves come first, those of equal size by name, and no more than are asked for
    Given the 3 top movers
    When these days are told
      | share | open | close |
      | C     | 100  | 101   |
      | E     | 200  | 180   |
      | D     | 100  | 110   |
      | B     | 50   | 30    |
      | A     | 0    | 9     |
    Then the top movers are told as
      | shares                       |
      | C +1.0%                      |
      | E -10.0%, C +1.0%            |
      | D +10.0%, E -10.0%, C +1.0%  |
      | B -40.0%, D +10.0%, E -10.0% |
      | B -40.0%, D +10.0%, E -10.0% |

  Scenario: Ten are listed where nothing else is said
    Given the top movers
    When these days are told
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
    Then the top movers are at last K J I H G F E D C B

  Scenario: A corrected day stands in the list once, and one that is withdrawn gives its place to the next
    Given the top movers
    When these days are told
      | share | open | close |
      | A     | 100  | 150   |
      | B     | 100  | 140   |
      | C     | 100  | 130   |
      | D     | 100  | 120   |
      | A     | 100  | 125   |
    And the day of B is withdrawn
    And the day of B is withdrawn
    And the day of Z is withdrawn
    Then the top movers are at last C A D

  Scenario: What cannot be read is put aside, and a restart forgets no share
    Given the top movers
    When these days are told
      | share | open | close |
      | A     | 100  | 150   |
      | B     | 100  | 140   |
    And "{torn" comes into daily-prices under A
    And the flow is restarted
    And these days are told
      | share | open | close |
      | A     | 100  | 110   |
      | C     | 100  | 120   |
    Then the top movers are told as
      | shares                       |
      | A +50.0%                     |
      | A +50.0%, B +40.0%           |
      | B +40.0%, A +10.0%           |
      | B +40.0%, C +20.0%, A +10.0% |
    And these dead letters are kept
      | topic        | value | reason                                                |
      | daily-prices | {torn | Invalid JSON: key must be a string at line 1 column 2 |
