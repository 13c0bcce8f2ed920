Feature: Log triage
  As an operator
  I want log events of high severity in a topic of their own, so that they are seen at once, and all others in a topic to keep.

  Scenario: Log events are sorted by severity and stay unchanged
    Given log events are sorted by severity
    When these log events arrive
      | severity | message   |
      | ERROR    | disk full |
      | INFO     | started   |
      | error    | small     |
    Then topic 'logs-high' contains the messages "disk full"
    And topic 'logs-low' contains the messages "started, small"

  Scenario: The high severities can be chosen
    Given the severities ERROR and FATAL are high
    When these log events arrive
      | severity | message   |
      | FATAL    | gone      |
      | WARN     | not quite |
    Then topic 'logs-high' contains the messages "gone"
    And topic 'logs-low' contains the messages "not quite"

  Scenario: All log events can be audited
    Given log events are audited
    When these log events arrive
      | severity | message   |
      | ERROR    | disk full |
      | INFO     | started   |
    Then topic 'logs-all' contains the messages "disk full, started"
