@services
Feature: Producing records
  As an operator
  I want to write the lines of a person or a program to a topic, and to see where each of them was written.

  Background:
    Given a topic with 3 partitions

  Scenario: The command shows the partition and the offset of every record
    When these lines are produced, with a colon between key and value
      | line      |
      | anna:tea  |
      | ben:salt  |
      | anna:rice |
    Then the topic contains 3 records, at the partitions and offsets that were shown
    And the summary shows 3 records and the latency of the brokers

  Scenario: Records with the same key stay in one partition, in order
    When 60 orders of anna, ben, cleo and dora are produced
    Then the orders of each customer are in one partition, in order

  Scenario: Records can be distributed evenly
    When 6 lines are produced with the round-robin partitioner
    Then each partition contains 2 records

  Scenario: A record can have a key, headers and a timestamp
    When this record is produced
      | key  | value | header      | time                |
      | anna | tea   | shop: north | 2026-03-01T12:00:00 |
    Then the topic contains this record
      | key  | value | header      | time                     |
      | anna | tea   | shop: north | 2026-03-01T12:00:00.000Z |

  Scenario: Simulated trades have their ticker as key
    When 40 simulated trades are produced
    Then the topic contains 40 trades, each with its ticker as key

  Scenario: A missing topic is refused together with the fix
    When a line is produced to a topic that does not exist
    Then the command fails, names the topic and suggests "--create-topics"
