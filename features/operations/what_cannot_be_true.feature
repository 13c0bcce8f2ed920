Feature: What cannot be true is set aside
  As a plant engineer
  I want readings that no sensor sends to be set aside with the reason, so that no machine is stopped for them, and log events
  that do not say how severe they are, so that no error is taken for something harmless.

  What a broken sensor sends is reported, since the sensor itself needs somebody who looks after it.

  Scenario: A reading has a temperature and a vibration, which a broken sensor shows below zero
    Given machines are monitored
    When these readings are reported
      | machine | temperature | vibration |
      | press   | 60          | 1.0       |
      | press   | 60          |           |
      | press   | hot         | 1.0       |
      | press   | 60          | -1        |
    Then there are no maintenance requests
    And 1 reading is set aside
    And these readings are set aside
      | temperature | vibration | reason                                                            |
      | 60          |           | Reading: vibration: Field required                                |
      | hot         | 1.0       | Reading: temperature: Input should be a valid number, not 'hot' |

  Scenario: A log event has a severity and a message
    Given log events are sorted by severity
    When these log events are reported
      | host | severity | message   |
      | web  | ERROR    | disk full |
      | web  |          | disk full |
      | web  | " "      | disk full |
      | web  | 500      | disk full |
      | web  | INFO     |           |
    Then topic 'logs-high' contains the messages "disk full"
    And these log events are set aside
      | severity | message   | reason                                                             |
      |          | disk full | LogEvent: severity: Field required                                 |
      | " "      | disk full | LogEvent: severity is ' '; it must be a text that is not empty |
      | 500      | disk full | LogEvent: severity: Input should be a valid string, not 500        |
      | INFO     |           | LogEvent: message: Field required                                  |
