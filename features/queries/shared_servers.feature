@services
Feature: Share the state between query servers
  As an operator
  I want several servers to share the partitions of the state, so that no server has to hold all of it, and to ask any of them.

  Kafka assigns the partitions, as to the members of a consumer group. Without the setting server.partitions=shared, every server
  holds all partitions.

  Background:
    Given the stock of 20 stores is tracked on Kafka in 4 partitions

  Scenario: Each server holds half of the partitions and answers for the other
    Given two servers share the state
    Then the servers list both hosts with 2 partitions each
    And both servers answer with the stock of every store
    And both servers name the same host for each store, and each host is that of some
    And both servers answer a range of all stores in pages

  Scenario: A server that dies is noticed, and the other one takes over
    Given two servers share the state
    When a server is killed
    Then the other server answers with all stores or says which part is missing, until it holds all partitions
    And it is the only host

  Scenario: Two servers that do not share hold the same
    Given two servers that do not share
    Then both servers answer with the stock of every store
    And each of them is its only host
