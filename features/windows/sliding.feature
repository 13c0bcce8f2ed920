Feature: Sliding windows
  Events that lie no further apart than one second are seen together, wherever that second begins.

  Scenario: Each event ends a window, and the events before it begin others
    Given events are counted in sliding windows of 1 s
    When these events come in
      | key | at      |
      | a   | 8000 ms |
      | a   | 8200 ms |
      | a   | 9100 ms |
    Then these counts are told
      | key | from    | to      | count | at      |
      | a   | 7000 ms | 8000 ms | 1     | 8000 ms |
      | a   | 8001 ms | 9001 ms | 1     | 8200 ms |
      | a   | 7200 ms | 8200 ms | 2     | 8200 ms |
      | a   | 8201 ms | 9201 ms | 1     | 9100 ms |
      | a   | 8100 ms | 9100 ms | 2     | 9100 ms |

  Scenario: Events of one moment share their windows
    Given events are counted in sliding windows of 1 s
    When these events come in
      | key | at      |
      | a   | 5000 ms |
      | a   | 5000 ms |
    Then these counts are told
      | key | from    | to      | count | at      |
      | a   | 4000 ms | 5000 ms | 1     | 5000 ms |
      | a   | 4000 ms | 5000 ms | 2     | 5000 ms |
