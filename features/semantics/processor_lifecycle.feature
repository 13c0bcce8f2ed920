Feature: Commits and the end of a processor
  A processor can collect records and forward them when its task commits. It is closed once, after the last commit.

  Scenario: What a processor has collected is forwarded at the commit
    Given a processor that collects orders until a commit
    When these records arrive
      | key | value | time |
      | ann | tea   | 1 s  |
      | bob | milk  | 2 s  |
      | ann | bread | 3 s  |
    Then these orders are sent
      | key | value | time |
      | ann | tea   | 1 s  |
      | bob | milk  | 2 s  |
      | ann | bread | 3 s  |
    And the processor is initialized, called at each commit, and closed after the last one

  Scenario: A flow that restarts has new processors
    Given a processor that collects orders until a commit
    When these records arrive
      | key | value | time |
      | ann | tea   | 1 s  |
    And the flow restarts
    And these records arrive
      | key | value | time |
      | bob | milk  | 2 s  |
    Then these orders are sent
      | key | value | time |
      | ann | tea   | 1 s  |
      | bob | milk  | 2 s  |
    And the processor is initialized, called at each commit, and closed after the last one
