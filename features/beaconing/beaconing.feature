Feature: Beacons
  Malware that waits for orders calls home again and again, at intervals too regular for a human. A host is reported that makes
  at least 5 calls to one destination within an hour when the gaps between them hardly vary: their standard deviation is at most
  a tenth of their mean. Updates, clocks and the like call regularly too; destinations that are known are left alone.

  Background:
    Given hosts are watched by the hour

  Scenario: A host that calls an unknown destination at regular intervals is reported when the hour is over
    When pc-7 calls evil.example 6 times from 0 min on, every 10 min
    And pc-1 calls news.example at 61 min
    Then these beacons are reported
      | host | destination  | calls | interval |
      | pc-7 | evil.example | 6     | 10 min   |

  Scenario: Nothing is reported while the hour goes on, or for too few calls
    When pc-7 calls evil.example 5 times from 0 min on, every 10 min
    And pc-8 calls evil.example 4 times from 1 min on, every 10 min
    And pc-1 calls news.example at 59 min
    Then no beacon is reported

  Scenario: Few calls are not judged, however regular
    When pc-8 calls evil.example 4 times from 0 min on, every 10 min
    And pc-1 calls news.example at 61 min
    Then no beacon is reported

  Scenario: A human's calls vary
    When pc-3 calls news.example at 1 min
    And pc-3 calls news.example at 3 min
    And pc-3 calls news.example at 20 min
    And pc-3 calls news.example at 21 min
    And pc-3 calls news.example at 44 min
    And pc-3 calls news.example at 50 min
    And pc-1 calls news.example at 61 min
    Then no beacon is reported

  Scenario: A known destination may be called as regularly as one likes
    Given updates.example is known
    When pc-7 calls updates.example 6 times from 0 min on, every 10 min
    And pc-1 calls news.example at 61 min
    Then no beacon is reported

  Scenario: A destination that becomes known before the hour is over is left alone
    When pc-7 calls backup.example 6 times from 0 min on, every 10 min
    And backup.example becomes known at 55 min
    And pc-1 calls news.example at 61 min
    Then no beacon is reported

  Scenario: Each host is judged by its own calls to each destination
    When pc-7 calls evil.example 6 times from 0 min on, every 10 min
    And pc-8 calls evil.example 6 times from 3 min on, every 10 min
    And pc-8 calls news.example at 17 min
    And pc-1 calls news.example at 61 min
    Then these beacons are reported
      | host | destination  | calls | interval |
      | pc-7 | evil.example | 6     | 10 min   |
      | pc-8 | evil.example | 6     | 10 min   |

  Scenario: A beacon that goes on is reported once an hour
    When pc-7 calls evil.example 18 times from 0 min on, every 10 min
    And pc-1 calls news.example at 181 min
    Then these beacons are reported
      | host | destination  | calls | interval |
      | pc-7 | evil.example | 6     | 10 min   |
      | pc-7 | evil.example | 6     | 10 min   |
      | pc-7 | evil.example | 6     | 10 min   |

  Scenario: Calls that become known out of order are put in their place
    When pc-7 calls evil.example at 20 min
    And pc-7 calls evil.example at 0 min
    And pc-7 calls evil.example at 40 min
    And pc-7 calls evil.example at 30 min
    And pc-7 calls evil.example at 10 min
    And pc-1 calls news.example at 61 min
    Then these beacons are reported
      | host | destination  | calls | interval |
      | pc-7 | evil.example | 5     | 10 min   |

  Scenario: Calls count for a minute after the hour and not any later
    When pc-7 calls evil.example 5 times from 9 min on, every 10 min
    And pc-1 calls news.example at 60.5 min
    And pc-7 calls evil.example at 59 min
    And pc-1 calls news.example at 61 min
    And pc-7 calls evil.example at 58 min
    And pc-1 calls news.example at 62 min
    Then these beacons are reported
      | host | destination  | calls | interval |
      | pc-7 | evil.example | 6     | 10 min   |
