Feature: Seeking
  A topic can be read again from anywhere: by one who looks, or by a group that is moved while nobody works for it.

  Background:
    Given a topic with these orders
      | order | at                  |
      | tea   | 2026-03-01T10:00:00 |
      | rice  | 2026-03-01T11:00:00 |
      | salt  | 2026-03-01T12:00:00 |
      | wine  | 2026-03-01T13:00:00 |

  Scenario Outline: Reading begins where it is told
    When the topic is read from <place>
    Then these are read: <orders>

    Examples:
      | place               | orders                |
      | beginning           | tea, rice, salt, wine |
      | end                 | nothing               |
      | 2                   | salt, wine            |
      | 2026-03-01T10:30:00 | rice, salt, wine      |

  Scenario Outline: A group that is moved goes on there
    Given a group that has read tea, rice and salt
    When the group is reset <how>, only to see what would happen
    Then the group is still at offset 3
    When the group is reset <how>
    Then the group reads: <orders>

    Examples:
      | how                                | orders                |
      | --to-earliest                      | tea, rice, salt, wine |
      | --to-datetime 2026-03-01T11:30:00  | salt, wine            |
      | --shift-by -2                      | rice, salt, wine      |
      | --to-latest                        | nothing               |

  Scenario: A group at work is not moved
    Given a group that has read tea, rice and salt
    And a consumer of the group at work
    When the group is reset --to-earliest
    Then the command refuses, because the group is active
    And the group is at offset 4, where its consumer is
