Feature: Maintenance of machines that fall silent
  A machine that works sends a reading every few minutes. A technician is also requested for a machine that has been silent for more
  than 10 minutes.

  Background:
    Given machines are monitored

  Scenario: A technician is requested once for a silent machine
    When these readings arrive
      | machine | time   | temperature | vibration |
      | press   | 1 min  | 60          | 1.0       |
      | lathe   | 5 min  | 60          | 1.0       |
      | lathe   | 11 min | 60          | 1.0       |
      | lathe   | 12 min | 60          | 1.0       |
      | lathe   | 20 min | 60          | 1.0       |
      | lathe   | 29 min | 60          | 1.0       |
    Then the maintenance requests are
      | machine | sign   | since |
      | press   | silent | 1 min |

  Scenario: A machine that stays silent after its service leads to a new request
    When these readings arrive
      | machine | time   | temperature | vibration |
      | press   | 1 min  | 60          | 1.0       |
      | lathe   | 8 min  | 60          | 1.0       |
      | lathe   | 12 min | 60          | 1.0       |
    And the press is serviced at 14 min
    And these readings arrive
      | machine | time   | temperature | vibration |
      | lathe   | 18 min | 60          | 1.0       |
      | lathe   | 24 min | 60          | 1.0       |
      | lathe   | 25 min | 60          | 1.0       |
    Then the maintenance requests are
      | machine | sign   | since  |
      | press   | silent | 1 min  |
      | press   | silent | 14 min |

  Scenario: The wall clock detects silence even when all machines are silent
    Given silence is measured in wall-clock time
    When these readings arrive
      | machine | time  | temperature | vibration |
      | press   | 0 min | 60          | 1.0       |
    And the wall clock advances by 9 min
    And these readings arrive
      | machine | time  | temperature | vibration |
      | lathe   | 9 min | 60          | 1.0       |
    And the wall clock advances by 2 min
    And the wall clock advances by 5 min
    Then the maintenance requests are
      | machine | sign   | since |
      | press   | silent | 0 min |
