@services
Feature: Consumer groups
  As an operator
  I want the consumers of a group to share the partitions of a topic and to take over from each other
  so that every record is read, although consumers come and go.

  Scenario Outline: Consumers share the partitions, and a surplus consumer stands by
    Given a topic with 3 partitions
    When 4 consumers of one <protocol> group start together
    Then 3 of the 4 consumers own one partition each and 1 stands by
    And one line at each rebalance shows what each of the 4 consumers owns
    When 90 orders arrive
    Then the 4 consumers read each order once

    Examples:
      | protocol    |
      | cooperative |
      | eager       |

  Scenario: With the cooperative protocol, a consumer continues to read while another one joins
    Given a topic with 3 partitions
    And consumer first owns 3 partitions
    When consumer second joins
    Then first and second share the 3 partitions
    And first is never without a partition

  Scenario: A standby consumer takes over when the active one is killed
    Given a topic with 1 partition
    And consumer first owns 1 partition
    And consumer standby stands by
    When 20 orders arrive
    And first has read 20 orders
    And first is killed
    And 10 orders arrive
    Then standby reads the last 10 orders and no others

  Scenario: Offsets are committed batch by batch, not only at the end
    Given a topic with 1 partition
    And consumer first owns 1 partition
    When 20 orders arrive
    And first has read 20 orders
    Then the lag of the group is 0 while first is still running
