Feature: Consumer groups
  Consumers of a group share a topic's partitions. When one comes or goes, the others take over, and nothing is lost.

  Scenario Outline: Consumers share the partitions, and one too many stands by
    Given a topic of 3 partitions
    When 4 consumers of one <way> group begin together
    Then 3 of the 4 consumers have a partition and 1 stands by
    And at each rebalance one line has told who of the 4 has what
    When 90 orders come
    Then the 4 consumers read each order once

    Examples:
      | way         |
      | cooperative |
      | eager       |

  Scenario: With a cooperative group nobody stops reading because another comes
    Given a topic of 3 partitions
    And the consumer first at work on all 3 partitions
    When the consumer second comes
    Then first and second share the 3 partitions
    And first has never been without a partition

  Scenario: A standby takes over when the consumer at work is killed
    Given a topic of 1 partition
    And the consumer first at work on all 1 partitions
    And the consumer standby waiting
    When 20 orders come
    And first has read 20 orders
    And first is killed
    And 10 orders come
    Then standby reads the 10 orders that came last, and no other

  Scenario: What was read is committed batch by batch, not at the end
    Given a topic of 1 partition
    And the consumer first at work on all 1 partitions
    When 20 orders come
    And first has read 20 orders
    Then the group has 0 orders to read while first is still at work
