@services
Feature: Seeking
  As an operator
  I want to read a topic again from any position, on my own or with a consumer group that is not active.

  Background:
    Given a topic with these orders
      | order | time                |
      | tea   | 2026-03-01T10:00:00 |
      | rice  | 2026-03-01T11:00:00 |
      | salt  | 2026-03-01T12:00:00 |
      | wine  | 2026-03-01T13:00:00 |

  Scenario Outline: Reading starts at the requested position
    When the topic is read from <position>
    Then the orders that are read are <orders>

    Examples:
      | position            | orders                |
      | beginning           | tea, rice, salt, wine |
      | end                 | nothing               |
      | 2                   | salt, wine            |
      | 2026-03-01T10:30:00 | rice, salt, wine      |

  Scenario Outline: A consumer group continues from the position that it is reset to
    Given a consumer group has read tea, rice and salt
    When a dry run resets the group by <option>
    Then the offset of the group is 3
    When the group is reset by <option>
    Then the orders that the group reads are <orders>

    Examples:
      | option                            | orders                |
      | --to-earliest                     | tea, rice, salt, wine |
      | --to-datetime 2026-03-01T11:30:00 | salt, wine            |
      | --shift-by -2                     | rice, salt, wine      |
      | --to-latest                       | nothing               |

  Scenario: An active consumer group is not reset
    Given a consumer group has read tea, rice and salt
    And a consumer of the group is running
    When the group is reset by --to-earliest
    Then the reset is refused because the group is active
    And the consumer reads wine and commits offset 4
