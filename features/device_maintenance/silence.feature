Feature: Machines that fall silent
  A machine in order is heard of every few minutes. One that is silent for longer than 10 minutes is looked after too.

  Background:
    Given the machines are watched

  Scenario: A silent machine is called for, once
    When these readings come in
      | machine | at     | temperature | vibration |
      | press   | 1 min  | 60          | 1.0       |
      | lathe   | 5 min  | 60          | 1.0       |
      | lathe   | 11 min | 60          | 1.0       |
      | lathe   | 12 min | 60          | 1.0       |
      | lathe   | 20 min | 60          | 1.0       |
      | lathe   | 29 min | 60          | 1.0       |
    Then maintenance is called for
      | machine | sign   | since |
      | press   | silent | 1 min |

  Scenario: A service sets a silent machine back, and silence afterwards is told anew
    When these readings come in
      | machine | at     | temperature | vibration |
      | press   | 1 min  | 60          | 1.0       |
      | lathe   | 8 min  | 60          | 1.0       |
      | lathe   | 12 min | 60          | 1.0       |
    And the press is served at 14 min
    And these readings come in
      | machine | at     | temperature | vibration |
      | lathe   | 18 min | 60          | 1.0       |
      | lathe   | 24 min | 60          | 1.0       |
      | lathe   | 25 min | 60          | 1.0       |
    Then maintenance is called for
      | machine | sign   | since  |
      | press   | silent | 1 min  |
      | press   | silent | 14 min |

  Scenario: When all machines are silent the wall clock tells
    Given silence is measured by the wall clock
    When these readings come in
      | machine | at    | temperature | vibration |
      | press   | 0 min | 60          | 1.0       |
    And 9 min pass
    And these readings come in
      | machine | at    | temperature | vibration |
      | lathe   | 9 min | 60          | 1.0       |
    And 2 min pass
    And 5 min pass
    Then maintenance is called for
      | machine | sign   | since |
      | press   | silent | 0 min |
