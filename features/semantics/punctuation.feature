Feature: Punctuation
  A processor can schedule a call for every tick of a clock: of stream time, or of the wall clock. Ticks have a fixed interval; when
  time passes several ticks at once, there is one call.

  Scenario: By stream time, the first record leads to a call, and a jump over several ticks to one more
    Given a processor is scheduled every 1 s of stream time
    When these records arrive
      | key | time   |
      | tv  | 100 ms |
      | tv  | 900 ms |
      | tv  | 5 s    |
      | tv  | 6 s    |
    Then the processor is called at
      | time   |
      | 100 ms |
      | 5 s    |
      | 6 s    |

  Scenario: A record that arrives out of order does not advance stream time
    Given a processor is scheduled every 1 s of stream time
    When these records arrive
      | key | time |
      | tv  | 3 s  |
      | tv  | 1 s  |
      | tv  | 2 s  |
    Then the processor is called at
      | time |
      | 3 s  |

  Scenario: By the wall clock, calls need no records and keep to the fixed ticks
    Given a processor is scheduled every 1 s of wall-clock time
    When these records arrive
      | key | time  |
      | tv  | 900 s |
    And the wall clock advances by 999 ms
    And the wall clock advances by 1 ms
    And the wall clock advances by 2500 ms
    And the wall clock advances by 500 ms
    Then the processor is called at
      | time    |
      | 1 s     |
      | 3500 ms |
      | 4 s     |
