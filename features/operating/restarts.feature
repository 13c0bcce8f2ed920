Feature: Restarts and unreadable records
  As an operator
  I want a flow to continue after a restart as if it had not stopped, and to set aside what it cannot read.

  Scenario: The day goes on after a restart
    Given prices are summarized by day in America/New_York
    When these prices arrive
      | instrument | price | time                      |
      | ACME       | 10    | 2024-01-10T12:00:00-05:00 |
      | ACME       |       | 2024-01-10T12:01:00-05:00 |
    And the unreadable value '{torn' arrives in topic 'prices' for ACME
    And the unreadable value '{"price": "dear"}' arrives in topic 'prices' for ACME
    And the flow restarts
    And these prices arrive
      | instrument | price | time                      |
      | ACME       | 4     | 2024-01-10T11:00:00-05:00 |
    Then the daily ranges are
      | instrument | from                      | to                        | lowest | highest | average | prices |
      | ACME       | 2024-01-10T00:00:00-05:00 | 2024-01-11T00:00:00-05:00 | 4      | 10      | 7       | 2      |
    And the dead letters are
      | topic  | value             | reason                                                                                       |
      | prices | {torn             | Price: Invalid JSON: key must be a string at line 1 column 2                                 |
      | prices | {"price": "dear"} | Price: price: Input should be a valid number, not 'dear' |

  Scenario: The list of shares is complete after a restart
    Given the top movers are listed
    When these daily prices arrive
      | share | open | close |
      | A     | 100  | 150   |
      | B     | 100  | 140   |
    And the unreadable value '{torn' arrives in topic 'daily-prices' for A
    And the flow restarts
    And these daily prices arrive
      | share | open | close |
      | A     | 100  | 110   |
      | C     | 100  | 120   |
    Then the list changes to
      | top movers                   |
      | A +50.0%                     |
      | A +50.0%, B +40.0%           |
      | B +40.0%, A +10.0%           |
      | B +40.0%, C +20.0%, A +10.0% |
    And the dead letters are
      | topic        | value | reason                                                            |
      | daily-prices | {torn | DailyQuote: Invalid JSON: key must be a string at line 1 column 2 |

  Scenario: An unreadable action is set aside, and the action before it still counts
    Given users who are away are notified at every tick
    When these events arrive
      | event  | user | action | time |
      | action | ann  | Close  | 0 s  |
    And the unreadable value '\xff' arrives in topic 'user-actions' for ann
    And the unreadable value '{torn' arrives in topic 'ticks' for ann
    And these events arrive
      | event | user | action | time |
      | tick  | ann  |        | 10 s |
    Then these users are notified with "You are not currently viewing Facebook."
      | user | time |
      | ann  | 10 s |
    And the dead letters are
      | topic        | value | reason                                                |
      | ticks        | {torn | Invalid JSON: key must be a string at line 1 column 2 |
      | user-actions | \xff  | string: not UTF-8 at byte 0                           |

  Scenario: Users who are away are still known after a restart, and nobody is notified twice
    Given users who are away are notified at every tick
    When these events arrive
      | event  | user | action | time |
      | action | ann  | Close  | 0 s  |
      | action | bob  | Close  | 0 s  |
      | tick   | ann  |        | 10 s |
    And the flow restarts
    And these events arrive
      | event  | user | action | time |
      | action | bob  | Open   | 15 s |
      | tick   | ann  |        | 20 s |
      | tick   | bob  |        | 20 s |
    Then these users are notified with "You are not currently viewing Facebook."
      | user | time |
      | ann  | 10 s |
      | ann  | 20 s |

  Scenario: Counts of notifications and their time outlive a restart
    Given notifications are counted by user
    When these users are notified
      | user | time   |
      | ann  | 60 min |
    And the unreadable value '{torn' arrives in topic 'notifications' for ann
    And the unreadable value '7' arrives in topic 'notifications' for bob
    And these users are notified
      | user | time   |
      | ann  | 69 min |
    And the flow restarts
    And these users are notified
      | user | time   |
      | ann  | 61 min |
      | ann  | 59 min |
    Then the count of ann from 60 min to 70 min changes to 1, 2, 3
    And the count of ann from 59 min to 69 min changes to 1
    And bob has no counts
    And the dead letters are
      | topic         | value | reason                                                              |
      | notifications | {torn | Notification: Invalid JSON: key must be a string at line 1 column 2 |
      | notifications | 7     | Notification: Input should be an object, not 7                      |

  Scenario: Unreadable clicks and profiles are set aside, and everything else is processed
    Given clicks are enriched with profiles and searches
    When the unreadable value '{torn' arrives in topic 'clicks' for 1
    And the unreadable value '[]' arrives in topic 'profiles' for 1
    And these events arrive
      | event  | user | page or search | time  |
      | search | 1    | wetsuit        | 1 s   |
      | click  | 1    | suits.html     | 1.5 s |
    Then the activities are
      | user | name | zipcode | interests | search  | page       | time  |
      | 1    |      |         |           | wetsuit | suits.html | 1.5 s |
    And the dead letters are
      | topic    | value | reason                                                       |
      | clicks   | {torn | Click: Invalid JSON: key must be a string at line 1 column 2 |
      | profiles | []    | Profile: Input should be an object, not []                   |

  Scenario: Profiles, and clicks that still wait for a search, outlive a restart
    Given clicks are enriched with profiles and searches
    When these profiles arrive
      | user | name | zipcode | interests |
      | 1    | Anna | 94301   |           |
    And these events arrive
      | event  | user | page or search | time  |
      | click  | 1    | suits.html     | 1 s   |
      | click  | 2    | lonely.html    | 1.2 s |
    And the flow restarts
    And these events arrive
      | event  | user | page or search | time  |
      | search | 1    | wetsuit        | 1.8 s |
      | click  | 1    | hats.html      | 1.9 s |
      | click  | 3    | later.html     | 3 s   |
    Then the activities are
      | user | name | zipcode | interests | search  | page        | time  |
      | 1    | Anna | 94301   |           | wetsuit | suits.html  | 1.8 s |
      | 1    | Anna | 94301   |           | wetsuit | hats.html   | 1.9 s |
      | 2    |      |         |           |         | lonely.html | 1.2 s |

  Scenario: Actions and solved captchas outlive a restart
    Given captchas are requested from browsers that act often
    When chrome acts 4 times
    And firefox acts 4 times
    And firefox solves a captcha
    And the unreadable value '{torn' arrives in topic 'actions' for chrome
    And the unreadable value '7' arrives in topic 'captchas-solved' for chrome
    And the flow restarts
    And firefox acts 2 times
    And chrome acts 1 time
    Then the captcha requests are
      | browser | actions |
      | chrome  | 5       |
    And the dead letters are
      | topic           | value | reason                                                |
      | actions         | {torn | Invalid JSON: key must be a string at line 1 column 2 |
      | captchas-solved | 7     | SolvedCaptcha: Input should be an object, not 7       |
