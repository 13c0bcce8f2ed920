Feature: Stream-table join
  Each tick looks up the last action of its user in a table, as the table is when the tick is processed, whatever the timestamps. A
  user whose last action is Close is notified.

  Background:
    Given ticks are joined with the table of the users' last actions

  Scenario: Every record of the stream looks up the current row of the table
    When these records arrive
      | topic        | key | value | time |
      | user-actions | ann | Open  | 0 s  |
      | ticks        | ann | tick  | 10 s |
      | user-actions | ann | Close | 20 s |
      | ticks        | ann | tick  | 30 s |
      | ticks        | ann | tick  | 40 s |
    Then these records are emitted
      | key | time |
      | ann | 30 s |
      | ann | 40 s |

  Scenario: The row that arrived last counts, not the one with the latest timestamp
    When these records arrive
      | topic        | key | value | time  |
      | user-actions | ann | Open  | 100 s |
      | user-actions | ann | Close | 50 s  |
      | ticks        | ann | tick  | 10 s  |
    Then these records are emitted
      | key | time |
      | ann | 10 s |

  Scenario: A key without a row joins with null
    When these records arrive
      | topic | key | value | time |
      | ticks | bob | tick  | 10 s |
    Then no records are emitted

  Scenario: A tombstone deletes the row
    When these records arrive
      | topic        | key | value | time |
      | user-actions | ann | Close | 0 s  |
      | user-actions | ann |       | 5 s  |
      | ticks        | ann | tick  | 10 s |
    Then no records are emitted
