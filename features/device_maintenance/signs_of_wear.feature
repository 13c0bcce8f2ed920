Feature: Maintenance before a machine fails
  A machine that wears out runs hotter and rougher, little by little. Readings are averaged over windows of 5 minutes. When
  temperature and vibration both rise over three windows that follow each other, by 3 degrees and 0.5 mm/s in all, a technician
  is called for, once, until the machine was served.

  Background:
    Given the machines are watched

  Scenario: A machine that runs hotter and rougher from window to window is called for
    When these readings come in
      | machine | at     | temperature | vibration |
      | press   | 1 min  | 60          | 1.0       |
      | press   | 6 min  | 61          | 1.3       |
      | press   | 11 min | 63          | 1.6       |
      | press   | 15 min | 63          | 1.6       |
    Then maintenance is called for
      | machine | sign   | since |
      | press   | rising | 0 min |

  Scenario: The mean of a window counts, not a single high reading
    When these readings come in
      | machine | at     | temperature | vibration |
      | press   | 1 min  | 60          | 1.0       |
      | press   | 6 min  | 61          | 1.3       |
      | press   | 11 min | 70          | 3.0       |
      | press   | 12 min | 50          | 0.1       |
      | press   | 15 min | 60          | 1.0       |
    Then no maintenance is called for

  Scenario: A machine that only runs hotter is not called for
    When these readings come in
      | machine | at     | temperature | vibration |
      | press   | 1 min  | 60          | 1.0       |
      | press   | 6 min  | 65          | 1.0       |
      | press   | 11 min | 70          | 1.0       |
      | press   | 15 min | 70          | 1.0       |
    Then no maintenance is called for

  Scenario: Machines do not mix
    When these readings come in
      | machine | at     | temperature | vibration |
      | press   | 1 min  | 60          | 1.0       |
      | lathe   | 6 min  | 61          | 1.3       |
      | press   | 11 min | 63          | 1.6       |
      | lathe   | 15 min | 63          | 1.6       |
    Then no maintenance is called for

  Scenario: A machine is called for once, however long it goes on
    When these readings come in
      | machine | at     | temperature | vibration |
      | press   | 1 min  | 60          | 1.0       |
      | press   | 6 min  | 62          | 1.5       |
      | press   | 11 min | 64          | 2.0       |
      | press   | 16 min | 66          | 2.5       |
      | press   | 21 min | 68          | 3.0       |
      | press   | 26 min | 70          | 3.5       |
    Then maintenance is called for
      | machine | sign   | since |
      | press   | rising | 0 min |

  Scenario: A machine that was served is called for again when it wears out again
    When these readings come in
      | machine | at     | temperature | vibration |
      | press   | 1 min  | 60          | 1.0       |
      | press   | 6 min  | 62          | 1.5       |
      | press   | 11 min | 64          | 2.0       |
      | press   | 16 min | 66          | 2.5       |
    And the press is served at 20 min
    And these readings come in
      | machine | at     | temperature | vibration |
      | press   | 21 min | 60          | 1.0       |
      | press   | 26 min | 62          | 1.5       |
      | press   | 31 min | 64          | 2.0       |
      | press   | 36 min | 66          | 2.5       |
    Then maintenance is called for
      | machine | sign   | since  |
      | press   | rising | 0 min  |
      | press   | rising | 20 min |

  Scenario: A service from before the signs began, which becomes known late, settles nothing
    When these readings come in
      | machine | at     | temperature | vibration |
      | press   | 6 min  | 60          | 1.0       |
      | press   | 11 min | 62          | 1.5       |
      | press   | 16 min | 64          | 2.0       |
      | press   | 21 min | 66          | 2.5       |
    And the press is served at 4 min
    And these readings come in
      | machine | at     | temperature | vibration |
      | press   | 26 min | 68          | 3.0       |
      | press   | 31 min | 70          | 3.5       |
      | press   | 36 min | 72          | 4.0       |
    Then maintenance is called for
      | machine | sign   | since |
      | press   | rising | 5 min |

  Scenario: Readings out of order count in their own window as long as it is open
    Given windows take late readings for 2 min
    When these readings come in
      | machine | at     | temperature | vibration |
      | press   | 1 min  | 60          | 1.0       |
      | press   | 11 min | 63          | 1.6       |
      | press   | 6 min  | 61          | 1.3       |
      | press   | 16 min | 63          | 1.6       |
      | press   | 14 min | 64          | 1.6       |
      | press   | 17 min | 63          | 1.6       |
    Then maintenance is called for
      | machine | sign   | since |
      | press   | rising | 0 min |

  Scenario: Readings that are too late change nothing any more
    When these readings come in
      | machine | at     | temperature | vibration |
      | press   | 1 min  | 60          | 1.0       |
      | press   | 6 min  | 61          | 1.3       |
      | press   | 2 min  | 90          | 9.0       |
      | press   | 11 min | 63          | 1.6       |
      | press   | 15 min | 63          | 1.6       |
    Then maintenance is called for
      | machine | sign   | since |
      | press   | rising | 0 min |

  Scenario: What a broken sensor shows is set apart
    When these readings come in
      | machine | at     | temperature | vibration |
      | press   | 1 min  | 60          | 1.0       |
      | press   | 2 min  | 9000        | -1        |
      | press   | 6 min  | 61          | 1.3       |
      | press   | 11 min | 63          | 1.6       |
      | press   | 15 min | 63          | 1.6       |
    Then maintenance is called for
      | machine | sign   | since |
      | press   | rising | 0 min |
    And 1 reading is set apart
