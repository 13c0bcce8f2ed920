Feature: Versions of a flow side by side
  A new version is run beside the old one: it reads the same topics, and has state and output topics of its own. Comparing the
  two outputs tells where they differ, as far as both versions have come.

  Background:
    Given these trades come in
      | ticker | price | at   |
      | AAPL   | 10    | 1 s  |
      | AAPL   | 30    | 12 s |
      | MSFT   | 50    | 12 s |
      | AAPL   | 20    | 2 s  |
    And the stock statistics have run

  Scenario: A version that takes late trades differs where there is one
    When the stock statistics run as version v2, which takes trades that are 20 s late
    And 'stock-stats' is compared with 'stock-stats-v2'
    Then they differ in these windows
      | key  | window       | stock-stats    | stock-stats-v2 |
      | AAPL | 0 s to 5 s   | 1 trades at 10 | 2 trades at 15 |
      | AAPL | 1 s to 6 s   | 1 trades at 10 | 2 trades at 15 |
      | AAPL | 2 s to 7 s   | -              | 1 trades at 20 |

  Scenario: A version that does the same agrees
    When the stock statistics run as version v2
    And 'stock-stats' is compared with 'stock-stats-v2'
    Then they agree

  Scenario: What the slower version has not reached yet is no difference
    Given these trades come in
      | ticker | price | at   |
      | MSFT   | 70    | 30 s |
    When the stock statistics run as version v2
    And 'stock-stats' is compared with 'stock-stats-v2'
    Then they agree up to 12 s
    When all of 'stock-stats' is compared with 'stock-stats-v2'
    Then they differ

  Scenario: Resetting a version leaves the other one alone
    Given the stock statistics have run as version v2
    When version v2 of the stock statistics is reset with its output
    Then 'stock-stats-v2' is empty
    And 'stock-stats' is not
