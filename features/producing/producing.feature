Feature: Producing
  What a person or a program writes line by line becomes records, and of each it is told where it went.

  Background:
    Given a topic of 3 partitions

  Scenario: Records are found where the command says they are
    When these lines are produced, a key before each colon
      | line      |
      | anna:tea  |
      | ben:salt  |
      | anna:rice |
    Then 3 records are found, at the partitions and offsets that were told
    And the totals tell 3 records and how long the brokers took

  Scenario: The records of a key stay together and in order
    When 60 orders of anna, ben, cleo and dora are produced
    Then the orders of each customer are in one partition, in order

  Scenario: Records may be dealt out evenly instead
    When 6 lines are produced in turn to all partitions
    Then each partition has 2 records

  Scenario: Keys, headers and times come along
    When this record is produced
      | key  | value | header      | time                |
      | anna | tea   | shop: north | 2026-03-01T12:00:00 |
    Then this record is found
      | key  | value | header      | time                     |
      | anna | tea   | shop: north | 2026-03-01T12:00:00.000Z |

  Scenario: Made-up trades are produced under their tickers
    When 40 simulated trades are produced
    Then 40 trades are found, each under its ticker

  Scenario: A topic that is missing is named with the cure, and nothing is written
    When a line is produced to a topic that does not exist
    Then the command fails and names that topic and "--create-topics"
