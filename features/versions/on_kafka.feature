Feature: Versions of a flow side by side on Kafka

  Scenario: Two versions have groups and topics of their own and are compared
    Given topics on Kafka
    And these trades come in
      | ticker | price | at   |
      | AAPL   | 10    | 1 s  |
      | AAPL   | 30    | 12 s |
      | AAPL   | 20    | 2 s  |
    And the stock statistics have run
    When the stock statistics run as version v2, which takes trades that are 20 s late
    Then Kafka has a group for each of the two versions
    When 'stock-stats' is compared with 'stock-stats-v2'
    Then they differ in these windows
      | key  | window     | stock-stats    | stock-stats-v2 |
      | AAPL | 0 s to 5 s | 1 trades at 10 | 2 trades at 15 |
      | AAPL | 1 s to 6 s | 1 trades at 10 | 2 trades at 15 |
      | AAPL | 2 s to 7 s | -              | 1 trades at 20 |
