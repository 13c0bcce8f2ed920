Feature: What cannot be true is set aside
  As someone who looks for malware
  I want connections that cannot be true to be set aside with the reason, so that no beacon is found in them.

  Scenario: A connection is to a destination, at a time
    Given the calls of each host are checked by the hour
    When these connections are reported
      | host | destination  | at    |
      | pc-7 |              | 60000 |
      | pc-7 | evil.example |       |
      | pc-7 | evil.example | -1    |
    Then there are no beacons
    And these connections are set aside
      | destination  | at    | reason                                                         |
      |              | 60000 | Connection: destination: Field required                        |
      | evil.example |       | Connection: at: Field required                                 |
      | evil.example | -1    | Connection: at is -1; it must be a whole number of at least 0 |
