Feature: Percentiles of load
  As an engineer on call
  I want the 99th percentile of the load of each service, and a report when it is too high,
  so that I learn of the few hosts that are overloaded while most are not.

  Background:
    Given the load is summed up every 10 seconds, and a 99th percentile above 90 % is reported

  Scenario: Few hosts that are overloaded raise the 99th percentile, not the median
    When the loads 10, 20, 30, 40, 97 % of basket arrive within 10 seconds
    And 10 seconds pass
    Then the load of basket is about 30 % in the median and 97 % in the 99th percentile
    And the reported overloads are about
      | service | 99th percentile |
      | basket  | 97              |

  Scenario: A service that is loaded as usual is not reported
    When the loads 10, 20, 30, 40, 50 % of basket arrive within 10 seconds
    And 10 seconds pass
    Then the load of basket is about 30 % in the median and 50 % in the 99th percentile
    And no overload is reported

  Scenario: What is no load is set aside
    When these loads are reported
      | host | service | load |
      | h1   | basket  | 30   |
      | h1   | basket  | -1   |
      | h1   |         | 30   |
    And 10 seconds pass
    Then the load of basket is about 30 % in the median and 30 % in the 99th percentile
    And these loads are set aside
      | service | load | reason                                                     |
      | basket  | -1   | ServiceLoad: load is -1.0; it must be a number of at least 0 |
      |         | 30   | ServiceLoad: service: Field required                       |
