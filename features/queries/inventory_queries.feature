@served
Feature: Query the stock of stores
  As a shopkeeper
  I want to ask what my stores have in stock while they go on selling, and to know how fresh the answer is.

  The query server is a process beside the flow. Each answer says which items it includes.

  Background:
    Given the stock of each store is tracked and can be queried
    And these items have arrived
      | store     | sku  | quantity | type    | time |
      | north     | tea  | 10       | RESTOCK | 1 s  |
      | north     | tea  | 3        | SALE    | 2 s  |
      | north     | rice | 5        | RESTOCK | 3 s  |
      | northeast | tea  | 2        | RESTOCK | 4 s  |
      | south     | tea  | 4        | RESTOCK | 5 s  |
      | west      | rice | 1        | SALE    | 6 s  |

  Scenario: The stock of one store
    When the stock of north is queried
    Then the answer is
      | store | stock         |
      | north | 7 tea, 5 rice |

  Scenario: The stock of several stores
    When the stock of west, nowhere and south is queried
    Then the answer is
      | store | stock   |
      | west  | -1 rice |
      | south | 4 tea   |

  Scenario: A range of stores is in the order of their names
    When the stock of the stores from north to south is queried
    Then the answer is
      | store     | stock         |
      | north     | 7 tea, 5 rice |
      | northeast | 2 tea         |
      | south     | 4 tea         |

  Scenario: A range of stores in pages
    When the stock of the stores from north to west is queried in pages of 3
    Then the pages are
      | stores                  |
      | north, northeast, south |
      | west                    |

  Scenario: Stores whose names begin with a word
    When the stock of the stores that begin with north is queried
    Then the answer is
      | store     | stock         |
      | north     | 7 tea, 5 rice |
      | northeast | 2 tea         |

  Scenario: An answer says how fresh it is
    When the stock of south is queried
    Then the answer includes every item that has arrived
    And the stream time of the answer is at least 6 s
    And the answer is not of a state that is being restored

  Scenario: A shopkeeper sees what has just been sold
    Given these items have arrived
      | store   | sku | quantity | type    | time |
      | airport | tea | 10       | RESTOCK | 7 s  |
    When these items arrive
      | store   | sku | quantity | type | time |
      | airport | tea | 4        | SALE | 8 s  |
    And the stock of airport is queried with what has just arrived
    Then the answer is
      | store   | stock |
      | airport | 6 tea |

  Scenario: A shopkeeper watches what changes, and goes on after a break
    Given the stock of all stores is watched
    When these items arrive
      | store   | sku  | quantity | type    | time |
      | harbour | tea  | 8        | RESTOCK | 9 s  |
    Then the watch shows
      | store   | stock |
      | harbour | 8 tea |
    When the watch is interrupted
    And these items arrive
      | store   | sku  | quantity | type | time |
      | harbour | tea  | 3        | SALE | 10 s |
      | station | rice | 1        | SALE | 11 s |
    And the watch goes on after what it has shown
    Then the watch shows
      | store   | stock   |
      | harbour | 5 tea   |
      | station | -1 rice |

  Scenario: A query that waits for an item that does not arrive says what is missing
    When the stock of north is queried with an item that does not arrive
    Then the query fails with status 412
    And the problem says "store 'INVENTORY' does not include the offsets after 0.2 s: topic 'items', partition 0"

  Scenario: A store that is not in the inventory
    When the stock of nowhere is queried
    Then the query fails with status 404
    And the problem says "store 'INVENTORY' has no key 'nowhere'"

  Scenario: A state store that does not exist
    When the state store INVENTROY is queried
    Then the query fails with status 404
    And the problem says "unknown store 'INVENTROY'"
    And the problem offers INVENTORY

  Scenario: Which host holds which key
    When the hosts are listed
    Then the server is the only host and holds all partitions of INVENTORY
    And it is the host of north, nowhere and south
