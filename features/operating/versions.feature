Feature: Versions of a flow side by side
  As an operator
  I want to run a new version of a flow in parallel with the old one and compare their results before I switch.

  Both versions read the same topics. Each has its own state and its own output topics. A comparison covers the time that both
  versions have processed.

  Background:
    Given topic 'trades' contains these trades
      | ticker | price | time |
      | AAPL   | 10    | 1 s  |
      | AAPL   | 30    | 12 s |
      | MSFT   | 50    | 12 s |
      | AAPL   | 20    | 2 s  |
    And the stock statistics have run

  Scenario: A version that accepts late trades has different results for their windows
    When the stock statistics run as version v2, which accepts late trades for 20 s
    And topic 'stock-stats' is compared with topic 'stock-stats-v2'
    Then the topics differ in these windows
      | key  | window     | stock-stats    | stock-stats-v2 |
      | AAPL | 0 s to 5 s | 1 trades at 10 | 2 trades at 15 |
      | AAPL | 1 s to 6 s | 1 trades at 10 | 2 trades at 15 |
      | AAPL | 2 s to 7 s | -              | 1 trades at 20 |

  Scenario: A version that works in the same way has the same results
    When the stock statistics run as version v2
    And topic 'stock-stats' is compared with topic 'stock-stats-v2'
    Then the topics agree

  Scenario: Results that the slower version has not reached yet do not count as differences
    Given topic 'trades' contains these trades
      | ticker | price | time |
      | MSFT   | 70    | 30 s |
    When the stock statistics run as version v2
    And topic 'stock-stats' is compared with topic 'stock-stats-v2'
    Then the topics agree up to 12 s
    When topic 'stock-stats' is compared with topic 'stock-stats-v2' to the end
    Then the topics differ

  Scenario: A reset of one version does not affect the other
    Given the stock statistics have run as version v2
    When version v2 of the stock statistics is reset with its output
    Then topic 'stock-stats-v2' is empty
    And topic 'stock-stats' is not empty
