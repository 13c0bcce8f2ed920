@services @spark
Feature: Versions of a flow side by side on Kafka
  On Kafka, each version also has its own consumer group.

  Scenario: Two versions have their own groups and topics, and are compared
    Given topics are on Kafka
    And topic 'trades' contains these trades
      | ticker | price | time |
      | AAPL   | 10    | 1 s  |
      | AAPL   | 30    | 12 s |
      | AAPL   | 20    | 2 s  |
    And the stock statistics have run
    When the stock statistics run as version v2, which accepts late trades for 20 s
    Then Kafka has one group for each version
    When topic 'stock-stats' is compared with topic 'stock-stats-v2'
    Then the topics differ in these windows
      | key  | window     | stock-stats    | stock-stats-v2 |
      | AAPL | 0 s to 5 s | 1 trades at 10 | 2 trades at 15 |
      | AAPL | 1 s to 6 s | 1 trades at 10 | 2 trades at 15 |
      | AAPL | 2 s to 7 s | -              | 1 trades at 20 |
