Feature: Beacons
  As someone who guards a network
  I want to know which hosts call an unknown destination at intervals too regular for a human,
  because malware that waits for orders calls home in this way.

  A host is reported for an hour in which it makes at least 5 calls to one destination and the gaps between them hardly vary: their
  standard deviation is at most a tenth of their mean. Updates and clocks call regularly as well, so known destinations are ignored.

  Background:
    Given the calls of each host are checked by the hour

  Scenario: A host that calls an unknown destination at regular intervals is reported at the end of the hour
    When pc-7 calls evil.example 6 times from 0 min, every 10 min
    And pc-1 calls news.example at 61 min
    Then the beacons are
      | host | destination  | calls | interval |
      | pc-7 | evil.example | 6     | 10 min   |

  Scenario: Nothing is reported before the end of the hour
    When pc-7 calls evil.example 5 times from 0 min, every 10 min
    And pc-8 calls evil.example 4 times from 1 min, every 10 min
    And pc-1 calls news.example at 59 min
    Then there are no beacons

  Scenario: Four calls are too few, however regular they are
    When pc-8 calls evil.example 4 times from 0 min, every 10 min
    And pc-1 calls news.example at 61 min
    Then there are no beacons

  Scenario: The irregular calls of a human are not reported
    When pc-3 calls news.example at 1 min
    And pc-3 calls news.example at 3 min
    And pc-3 calls news.example at 20 min
    And pc-3 calls news.example at 21 min
    And pc-3 calls news.example at 44 min
    And pc-3 calls news.example at 50 min
    And pc-1 calls news.example at 61 min
    Then there are no beacons

  Scenario: Regular calls to a known destination are not reported
    Given updates.example is a known destination
    When pc-7 calls updates.example 6 times from 0 min, every 10 min
    And pc-1 calls news.example at 61 min
    Then there are no beacons

  Scenario: Calls to a destination that becomes known before the end of the hour are not reported
    When pc-7 calls backup.example 6 times from 0 min, every 10 min
    And backup.example becomes a known destination at 55 min
    And pc-1 calls news.example at 61 min
    Then there are no beacons

  Scenario: Each host is judged by its own calls to each destination
    When pc-7 calls evil.example 6 times from 0 min, every 10 min
    And pc-8 calls evil.example 6 times from 3 min, every 10 min
    And pc-8 calls news.example at 17 min
    And pc-1 calls news.example at 61 min
    Then the beacons are
      | host | destination  | calls | interval |
      | pc-7 | evil.example | 6     | 10 min   |
      | pc-8 | evil.example | 6     | 10 min   |

  Scenario: A beacon that continues is reported once for each hour
    When pc-7 calls evil.example 18 times from 0 min, every 10 min
    And pc-1 calls news.example at 181 min
    Then the beacons are
      | host | destination  | calls | interval |
      | pc-7 | evil.example | 6     | 10 min   |
      | pc-7 | evil.example | 6     | 10 min   |
      | pc-7 | evil.example | 6     | 10 min   |

  Scenario: Calls that arrive out of order are put in order
    When pc-7 calls evil.example at 20 min
    And pc-7 calls evil.example at 0 min
    And pc-7 calls evil.example at 40 min
    And pc-7 calls evil.example at 30 min
    And pc-7 calls evil.example at 10 min
    And pc-1 calls news.example at 61 min
    Then the beacons are
      | host | destination  | calls | interval |
      | pc-7 | evil.example | 5     | 10 min   |

  Scenario: A late call counts until one minute after the end of its hour
    When pc-7 calls evil.example 5 times from 9 min, every 10 min
    And pc-1 calls news.example at 60.5 min
    And pc-7 calls evil.example at 59 min
    And pc-1 calls news.example at 61 min
    And pc-7 calls evil.example at 58 min
    And pc-1 calls news.example at 62 min
    Then the beacons are
      | host | destination  | calls | interval |
      | pc-7 | evil.example | 6     | 10 min   |
