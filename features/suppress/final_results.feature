Feature: Only final results
  Who is told a number of notifications wants one for each window, when the window is over.

  Scenario: A count is told once its window is over
    Given the notification metrics, told only when final
    When ann is notified
      | at     |
      | 60 min |
      | 61 min |
      | 70 min |
    Then ann has been told
      | from   | to     | count |
      | 51 min | 61 min | 1     |
      | 52 min | 62 min | 2     |
      | 53 min | 63 min | 2     |
      | 54 min | 64 min | 2     |
      | 55 min | 65 min | 2     |
      | 56 min | 66 min | 2     |
      | 57 min | 67 min | 2     |
      | 58 min | 68 min | 2     |
      | 59 min | 69 min | 2     |
      | 60 min | 70 min | 2     |

  Scenario: While time stands still nothing is told
    Given the notification metrics, told only when final
    When ann is notified
      | at     |
      | 60 min |
      | 60 min |
    And 600 min pass
    Then ann has been told nothing

  Scenario: With grace a result is final only after it
    Given the notification metrics, told only when final
    And windows take late notifications for 2 min
    When ann is notified
      | at     |
      | 60 min |
      | 62 min |
    Then ann has been told nothing
    When ann is notified
      | at     |
      | 63 min |
    Then ann has been told
      | from   | to     | count |
      | 51 min | 61 min | 1     |
