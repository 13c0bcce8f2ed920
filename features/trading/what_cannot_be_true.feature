Feature: What cannot be true is set aside
  As a trader
  I want reports of trades and prices that cannot be true to be set aside with the reason,
  so that no figure is computed from them.

  Scenario: A trade has a side, a ticker, a price above 0 and a size
    Given trades are summarized by ticker
    When these trades are reported
      | ticker | type | price | size |
      | IBM    | ASK  | 100   | 10   |
      | IBM    |      | 90    | 10   |
      | IBM    | SELL | 90    | 10   |
      | IBM    | ASK  |       | 10   |
      | IBM    | ASK  | 0     | 10   |
      | IBM    | ASK  | -5    | 10   |
      | IBM    | ASK  | 90    | 0    |
      | IBM    | ASK  | 104   | 10   |
    Then the statistics for IBM starting at 0 s are
      | trades | lowest price | average price |
      | 2      | 100          | 102           |
    And these trades are set aside
      | ticker | type | price | size | reason                                               |
      | IBM    |      | 90    | 10   | Trade: type: Field required                          |
      | IBM    | SELL | 90    | 10   | Trade: type is 'SELL'; it must be one of: ASK, BID   |
      | IBM    | ASK  |       | 10   | Trade: price: Field required                         |
      | IBM    | ASK  | 0     | 10   | Trade: price is 0.0; it must be a number above 0     |
      | IBM    | ASK  | -5    | 10   | Trade: price is -5.0; it must be a number above 0    |
      | IBM    | ASK  | 90    | 0    | Trade: size is 0; it must be a whole number of at least 1 |

  Scenario: A trade of another share does not count
    Given trades are summarized by ticker
    When these trades arrive
      | ticker | price | time |
      | IBM    | 100   | 4 s  |
    And a trade of MSFT at 80 is reported for IBM at 4 s
    Then the statistics for IBM starting at 4 s are
      | trades | lowest price | average price |
      | 1      | 100          | 100           |

  Scenario: A price is above 0
    Given prices are summarized by day in UTC
    When these prices are reported
      | instrument | price |
      | ACME       | 10    |
      | ACME       |       |
      | ACME       | 0     |
      | ACME       | -4    |
      | ACME       | 14    |
    Then the daily ranges are
      | instrument | lowest | highest | average | prices |
      | ACME       | 10     | 14      | 12      | 2      |
    And these prices are set aside
      | instrument | price | reason                                            |
      | ACME       |       | Price: price: Field required                      |
      | ACME       | 0     | Price: price is 0.0; it must be a number above 0  |
      | ACME       | -4    | Price: price is -4.0; it must be a number above 0 |

  Scenario: A daily price has an open and a close above 0
    Given the top movers are listed
    When these daily prices are reported
      | share | open | close |
      | A     | 100  | 110   |
      | B     | 100  | dear  |
      | C     | 0    | 9     |
      | A     | 100  |       |
      | D     | 100  | 150   |
    Then the top movers are D, A
    And these daily prices are set aside
      | share | open | close | reason                                                                                             |
      | B     | 100  | dear  | DailyQuote: close: Input should be a valid number, not 'dear' |
      | C     | 0    | 9     | DailyQuote: open is 0.0; it must be a number above 0                                              |
      | A     | 100  |       | DailyQuote: close: Field required                                                                  |
