Feature: Punctuation
  A step may ask to be called at every tick of a clock: the time of the records that pass, or the clock on the wall.
  Ticks lie on a grid; those that pass unseen together bring one call.

  Scenario: The time of the records ticks with the first one, and once for a jump over several ticks
    Given a step that tells its counts every 1 s by the time of the records
    When records come in at
      | at     |
      | 100 ms |
      | 900 ms |
      | 5 s    |
      | 6 s    |
    Then the step was called at
      | at     |
      | 100 ms |
      | 5 s    |
      | 6 s    |

  Scenario: A record that comes out of order moves no clock
    Given a step that tells its counts every 1 s by the time of the records
    When records come in at
      | at    |
      | 3 s   |
      | 1 s   |
      | 2 s   |
    Then the step was called at
      | at  |
      | 3 s |

  Scenario: The clock on the wall ticks without records and stays on its grid
    Given a step that tells its counts every 1 s by the clock on the wall
    When records come in at
      | at     |
      | 900 s  |
    And these times pass
      | time   |
      | 999 ms |
      | 1 ms   |
      | 2500 ms |
      | 500 ms |
    Then the step was called at
      | at      |
      | 1 s     |
      | 3500 ms |
      | 4 s     |
