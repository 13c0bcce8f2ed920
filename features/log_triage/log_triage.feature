Feature: Log triage
  Events of severity ERROR go where somebody looks at once, all others where they are kept.

  Scenario: Events are sorted by severity and pass unchanged
    Given the log triage
    When these events come in
      | severity | message   |
      | ERROR    | disk full |
      | INFO     | started   |
      | error    | small     |
    Then logs-high has the messages "disk full"
    And logs-low has the messages "started, small"

  Scenario: Other severities may be high
    Given the severities ERROR and FATAL are high
    When these events come in
      | severity | message   |
      | FATAL    | gone      |
      | WARN     | not quite |
    Then logs-high has the messages "gone"
    And logs-low has the messages "not quite"

  Scenario: An auditor sees everything first
    Given the log triage with an audit
    When these events come in
      | severity | message   |
      | ERROR    | disk full |
      | INFO     | started   |
    Then logs-all has the messages "disk full, started"
