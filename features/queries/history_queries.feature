@served
Feature: Query windows, sessions and versions
  As a shopkeeper
  I want to ask how often products were viewed, how long visits were and what a product cost at a time, while customers go on.

  Background:
    Given a shop counts views by product in windows of 10 s
    And it groups the views of each visitor into visits with an inactivity gap of 30 s
    And it keeps the versions of prices
    And these records have arrived
      | topic  | key  | value | time  |
      | views  | tea  | ann   | 1 s   |
      | views  | tea  | bob   | 9 s   |
      | views  | rice | ann   | 12 s  |
      | views  | tea  | ann   | 25 s  |
      | views  | tea  | ann   | 100 s |
      | prices | tea  | 250   | 10 s  |
      | prices | tea  | 275   | 40 s  |
      | prices | rice | 120   | 15 s  |
      | prices | rice |       | 50 s  |

  Scenario: All windows of a product
    When the windows of tea are queried
    Then the windows are
      | product | start | end   | views |
      | tea     | 0 s   | 10 s  | 2     |
      | tea     | 20 s  | 30 s  | 1     |
      | tea     | 100 s | 110 s | 1     |

  Scenario: The windows of a product between two times, which include those that overlap them
    When the windows of tea from 5 s to 20 s are queried
    Then the windows are
      | product | start | end  | views |
      | tea     | 0 s   | 10 s | 2     |
      | tea     | 20 s  | 30 s | 1     |

  Scenario: The latest window of every product
    When the latest windows are queried
    Then the windows are
      | product | start | end   | views |
      | rice    | 10 s  | 20 s  | 1     |
      | tea     | 100 s | 110 s | 1     |

  Scenario: The visits of a visitor
    When the visits of ann are queried
    Then the visits are
      | visitor | start | end   | views |
      | ann     | 1 s   | 25 s  | 3     |
      | ann     | 100 s | 100 s | 1     |

  Scenario: The visits of a visitor between two times
    When the visits of ann from 20 s to 60 s are queried
    Then the visits are
      | visitor | start | end  | views |
      | ann     | 1 s   | 25 s | 3     |

  Scenario: All versions of a price
    When the versions of the price of tea are queried
    Then the prices are
      | product | price | from | to   |
      | tea     | 250   | 10 s | 40 s |
      | tea     | 275   | 40 s |      |

  Scenario: The price at a time
    When the price of tea at 39 s is queried
    Then the prices are
      | product | price | from | to   |
      | tea     | 250   | 10 s | 40 s |

  Scenario: A product that had no price yet
    When the price of tea at 9 s is queried
    Then the query fails with status 404
    And the problem says "store 'prices' has no key 'tea' at 9000 ms"

  Scenario: A price that was deleted is still known for the time before
    When the price of rice at 49 s is queried
    Then the prices are
      | product | price | from | to   |
      | rice    | 120   | 15 s | 50 s |

  Scenario: The latest prices leave out what was deleted
    When the latest prices are queried
    Then the prices are
      | product | price | from | to |
      | tea     | 275   | 40 s |    |

  Scenario: A query that a kind of store does not have
    When the windows of the price of tea are queried
    Then the query fails with status 404
    And the problem says "store 'prices' is a versioned store and has no 'windows'"
