Feature: Maintenance before a machine fails
  As the head of a workshop
  I want a technician to be requested for a machine that wears out, before it fails.

  A machine that wears out runs hotter and rougher, little by little. Readings are averaged over windows of 5 minutes. A technician
  is requested when temperature and vibration both rise over three consecutive windows, by 3 degrees and 0.5 mm/s in total. There
  is only one request until the machine has been serviced.

  Background:
    Given machines are monitored

  Scenario: A technician is requested for a machine that runs hotter and rougher from window to window
    When these readings arrive
      | machine | time   | temperature | vibration |
      | press   | 1 min  | 60          | 1.0       |
      | press   | 6 min  | 61          | 1.3       |
      | press   | 11 min | 63          | 1.6       |
      | press   | 15 min | 63          | 1.6       |
    Then the maintenance requests are
      | machine | sign   | since |
      | press   | rising | 0 min |

  Scenario: The average of a window counts, not a single high reading
    When these readings arrive
      | machine | time   | temperature | vibration |
      | press   | 1 min  | 60          | 1.0       |
      | press   | 6 min  | 61          | 1.3       |
      | press   | 11 min | 70          | 3.0       |
      | press   | 12 min | 50          | 0.1       |
      | press   | 15 min | 60          | 1.0       |
    Then there are no maintenance requests

  Scenario: A machine that runs hotter but not rougher needs no technician
    When these readings arrive
      | machine | time   | temperature | vibration |
      | press   | 1 min  | 60          | 1.0       |
      | press   | 6 min  | 65          | 1.0       |
      | press   | 11 min | 70          | 1.0       |
      | press   | 15 min | 70          | 1.0       |
    Then there are no maintenance requests

  Scenario: Each machine is judged by its own readings
    When these readings arrive
      | machine | time   | temperature | vibration |
      | press   | 1 min  | 60          | 1.0       |
      | lathe   | 6 min  | 61          | 1.3       |
      | press   | 11 min | 63          | 1.6       |
      | lathe   | 15 min | 63          | 1.6       |
    Then there are no maintenance requests

  Scenario: A technician is requested only once for a machine that continues to wear out
    When these readings arrive
      | machine | time   | temperature | vibration |
      | press   | 1 min  | 60          | 1.0       |
      | press   | 6 min  | 62          | 1.5       |
      | press   | 11 min | 64          | 2.0       |
      | press   | 16 min | 66          | 2.5       |
      | press   | 21 min | 68          | 3.0       |
      | press   | 26 min | 70          | 3.5       |
    Then the maintenance requests are
      | machine | sign   | since |
      | press   | rising | 0 min |

  Scenario: A machine that wears out again after a service leads to a new request
    When these readings arrive
      | machine | time   | temperature | vibration |
      | press   | 1 min  | 60          | 1.0       |
      | press   | 6 min  | 62          | 1.5       |
      | press   | 11 min | 64          | 2.0       |
      | press   | 16 min | 66          | 2.5       |
    And the press is serviced at 20 min
    And these readings arrive
      | machine | time   | temperature | vibration |
      | press   | 21 min | 60          | 1.0       |
      | press   | 26 min | 62          | 1.5       |
      | press   | 31 min | 64          | 2.0       |
      | press   | 36 min | 66          | 2.5       |
    Then the maintenance requests are
      | machine | sign   | since  |
      | press   | rising | 0 min  |
      | press   | rising | 20 min |

  Scenario: A late report of a service from before the machine wore out leads to no new request
    When these readings arrive
      | machine | time   | temperature | vibration |
      | press   | 6 min  | 60          | 1.0       |
      | press   | 11 min | 62          | 1.5       |
      | press   | 16 min | 64          | 2.0       |
      | press   | 21 min | 66          | 2.5       |
    And the press is serviced at 4 min
    And these readings arrive
      | machine | time   | temperature | vibration |
      | press   | 26 min | 68          | 3.0       |
      | press   | 31 min | 70          | 3.5       |
      | press   | 36 min | 72          | 4.0       |
    Then the maintenance requests are
      | machine | sign   | since |
      | press   | rising | 5 min |

  Scenario: A reading that arrives out of order counts in its window while that is open
    Given late readings are accepted for 2 min
    When these readings arrive
      | machine | time   | temperature | vibration |
      | press   | 1 min  | 60          | 1.0       |
      | press   | 11 min | 63          | 1.6       |
      | press   | 6 min  | 61          | 1.3       |
      | press   | 16 min | 63          | 1.6       |
      | press   | 14 min | 64          | 1.6       |
      | press   | 17 min | 63          | 1.6       |
    Then the maintenance requests are
      | machine | sign   | since |
      | press   | rising | 0 min |

  Scenario: A reading that arrives after its window has closed is dropped
    When these readings arrive
      | machine | time   | temperature | vibration |
      | press   | 1 min  | 60          | 1.0       |
      | press   | 6 min  | 61          | 1.3       |
      | press   | 2 min  | 90          | 9.0       |
      | press   | 11 min | 63          | 1.6       |
      | press   | 15 min | 63          | 1.6       |
    Then the maintenance requests are
      | machine | sign   | since |
      | press   | rising | 0 min |

  Scenario: An implausible reading of a broken sensor is set aside
    When these readings arrive
      | machine | time   | temperature | vibration |
      | press   | 1 min  | 60          | 1.0       |
      | press   | 2 min  | 9000        | -1        |
      | press   | 6 min  | 61          | 1.3       |
      | press   | 11 min | 63          | 1.6       |
      | press   | 15 min | 63          | 1.6       |
    Then the maintenance requests are
      | machine | sign   | since |
      | press   | rising | 0 min |
    And 1 reading is set aside
