Feature: Idle sources
  Windows close by event time: with a record that moves stream time past their end and grace period. A source with an idle timeout
  closes its windows although no record comes: once none has come for that time, stream time follows the wall clock.

  Background:
    Given the idle timeout is 30 s

  Scenario: Without an idle timeout, the last windows stay open
    Given records are counted in windows of 60 s
    And there is no idle timeout
    When these records arrive
      | key | time |
      | a   | 5 s  |
    And the wall clock advances by 600 s
    Then no records are emitted

  Scenario: Windows close when nothing comes
    Given records are counted in windows of 60 s
    When these records arrive
      | key | time |
      | a   | 5 s  |
      | b   | 20 s |
    And the wall clock advances by 39 s
    Then no records are emitted
    When the wall clock advances by 1 s
    Then these records are emitted
      | key | window start | window end | value | time |
      | a   | 0 s          | 60 s       | 1     | 5 s  |
      | b   | 0 s          | 60 s       | 1     | 20 s |

  Scenario: Before the timeout is over, stream time stands still
    Given records are counted in windows of 60 s
    When these records arrive
      | key | time |
      | a   | 59 s |
    And the wall clock advances by 29 s
    And these records arrive
      | key | time |
      | a   | 40 s |
    And the wall clock advances by 29 s
    Then no records are emitted
    When the wall clock advances by 1 s
    Then these records are emitted
      | key | window start | window end | value | time |
      | a   | 0 s          | 60 s       | 2     | 59 s |

  Scenario: A record that comes afterwards with the same lag is not late, one with a greater lag may be
    Given records are counted in windows of 60 s
    When these records arrive
      | key | time |
      | a   | 5 s  |
    And the wall clock advances by 100 s
    And these records arrive
      | key | time  |
      | a   | 50 s  |
      | a   | 105 s |
    And the wall clock advances by 30 s
    Then these records are emitted
      | key | window start | window end | value | time  |
      | a   | 0 s          | 60 s       | 1     | 5 s   |
      | a   | 60 s         | 120 s      | 1     | 105 s |

  Scenario: Sessions close after their gap
    Given records are counted in sessions with a gap of 60 s
    When these records arrive
      | key | time |
      | a   | 5 s  |
      | a   | 20 s |
    And the wall clock advances by 60 s
    Then no records are emitted
    When the wall clock advances by 1 s
    Then these records are emitted
      | key | window start | window end | value | time |
      | a   | 5 s          | 20 s       | 2     | 20 s |

  Scenario: Suppressed updates are emitted when their window closes
    Given the counts in windows of 60 s are suppressed until they close
    When these records arrive
      | key | time |
      | a   | 5 s  |
      | a   | 6 s  |
    And the wall clock advances by 54 s
    Then these records are emitted
      | key | window start | window end | value | time |
      | a   | 0 s          | 60 s       | 2     | 6 s  |

  Scenario: The outer result of a join is emitted when no match can come any more
    Given records are left-joined with those of topic 'others' within 10 s
    When these records arrive
      | key | time |
      | a   | 5 s  |
    And the wall clock advances by 30 s
    Then these records are emitted
      | key | value  | time |
      | a   | x/None | 5 s  |

  Scenario: A join is idle only if both of its sources are
    Given records are left-joined with those of topic 'others' within 10 s
    When these records arrive
      | key | time |
      | a   | 5 s  |
    And the wall clock advances by 20 s
    And these records arrive in topic 'others'
      | key | time |
      | b   | 4 s  |
    And the wall clock advances by 20 s
    Then no records are emitted
    When the wall clock advances by 10 s
    Then these records are emitted
      | key | value  | time |
      | a   | x/None | 5 s  |

  Scenario: Idleness reaches windows behind a repartition
    Given records are counted by value in windows of 60 s
    When these records arrive
      | key | time |
      | a   | 5 s  |
      | b   | 6 s  |
    And the wall clock advances by 54 s
    Then these records are emitted
      | key | window start | window end | value | time |
      | x   | 0 s          | 60 s       | 2     | 6 s  |

  Scenario: A final result is not late for the windows that it is added to
    Given the final counts of windows of 60 s are added up by value in windows of 10 s
    When these records arrive
      | key | time |
      | a   | 5 s  |
      | b   | 6 s  |
      | c   | 59 s |
    And the wall clock advances by 30 s
    And the wall clock advances by 1000 s
    Then these records are emitted
      | key | window start | window end | value | time |
      | 1   | 0 s          | 10 s       | 2     | 6 s  |
      | 1   | 50 s         | 60 s       | 1     | 59 s |

  Scenario: Punctuation by stream time is called while a source is idle
    Given a processor is called every 10 s of stream time
    When these records arrive
      | key | time |
      | a   | 5 s  |
    And the wall clock advances by 29 s
    And the wall clock advances by 1 s
    And the wall clock advances by 4 s
    And the wall clock advances by 1 s
    Then these records are emitted
      | key  | value | time |
      | tick | 5     | 5 s  |
      | tick | 35    | 35 s |
      | tick | 40    | 40 s |

  Scenario: Stream time follows the wall clock after a restart as well
    Given records are counted in windows of 60 s
    When these records arrive
      | key | time |
      | a   | 5 s  |
    And the wall clock advances by 10 s
    And the flow restarts
    And the wall clock advances by 60 s
    Then these records are emitted
      | key | window start | window end | value | time |
      | a   | 0 s          | 60 s       | 1     | 5 s  |
