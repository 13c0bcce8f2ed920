Feature: Table aggregation
  When a row of a table changes, an aggregate of the table is updated twice in one step: the old row is subtracted and the new one
  added. Here the aggregate is a list of the shares that moved most, up or down.

  Scenario: Rows are added to the aggregate
    Given the top 2 movers of all shares are aggregated
    When these records arrive
      | key | open | close | sector |
      | A   | 100  | 110   |        |
      | B   | 100  | 80    |        |
      | C   | 100  | 101   |        |
    Then the latest records are
      | key | shares |
      | all | B, A   |

  Scenario: A row that changes replaces its old version
    Given the top 2 movers of all shares are aggregated
    When these records arrive
      | key | open | close | sector |
      | A   | 100  | 150   |        |
      | B   | 100  | 140   |        |
      | A   | 100  | 101   |        |
    Then these records are emitted
      | key | shares |
      | all | A      |
      | all | A, B   |
      | all | B, A   |

  Scenario: A row that changes its group is subtracted from the old one and added to the new one
    Given the top 5 movers of each sector are aggregated
    When these records arrive
      | key | open | close | sector |
      | A   | 100  | 150   | tech   |
      | B   | 100  | 140   | tech   |
      | A   | 100  | 150   | food   |
    Then the latest records are
      | key  | shares |
      | food | A      |
      | tech | B      |

  Scenario: A row without a group is in no aggregate
    Given the top 5 movers of each sector are aggregated
    When these records arrive
      | key | open | close | sector |
      | A   | 100  | 150   | tech   |
      | A   | 100  | 150   |        |
    Then the latest records are
      | key  | shares |
      | tech |        |

  Scenario: A row that is deleted is subtracted from the aggregate
    Given the top 2 movers of all shares are aggregated
    When these records arrive
      | key | open | close | sector |
      | A   | 100  | 150   |        |
      | B   | 100  | 110   |        |
      | A   |      |       |        |
    Then the latest records are
      | key | shares |
      | all | B      |

  Scenario: An adder may change the aggregate that it gets
    Given the items of each cart are collected in a list that the adder changes, and carts are counted by size
    When these records arrive
      | key | value |
      | ann | tea   |
      | ann | rum   |
      | ann | ham   |
    Then these records are emitted
      | key | value |
      | 1   | 1     |
      | 1   | 0     |
      | 2   | 1     |
      | 2   | 0     |
      | 3   | 1     |
