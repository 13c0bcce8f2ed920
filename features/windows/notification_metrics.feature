Feature: Notification metrics
  How many notifications each user got in the last ten minutes, looked at anew every minute.

  Scenario: A notification counts in all ten windows that it falls into
    Given the notification metrics
    When ann is notified
      | at     |
      | 60 min |
    Then ann has been told 10 counts
    And ann has had 1 from 51 min to 61 min
    And ann has had 1 from 60 min to 70 min

  Scenario: A window takes what falls into it
    Given the notification metrics
    When ann is notified
      | at     |
      | 60 min |
      | 64 min |
      | 70 min |
    Then ann has had 2 from 60 min to 70 min
    And ann has had 2 from 61 min to 71 min
    And ann has had 1 from 65 min to 75 min

  Scenario: Users do not mix
    Given the notification metrics
    When ann is notified
      | at     |
      | 60 min |
    And bob is notified
      | at     |
      | 60 min |
    Then ann has had 1 from 60 min to 70 min
    And bob has had 1 from 60 min to 70 min
