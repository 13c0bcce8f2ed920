@served
Feature: Flows that run as a service
  As an operator
  I want the flows of a shop to run together, to be restarted when they fail and to be stopped in order.

  Billing writes an invoice for each order, revenue adds up the invoices, and delivery packs a parcel for each order. Billing fails
  while an article has no price.

  Background:
    Given a lamp costs 10
    And billing, revenue and delivery run as a service

  Scenario: One flow reads what another one writes
    When lamps are ordered by ann and bob
    Then the invoices are for ann and bob
    And the revenue is 20
    And the parcels are for ann and bob

  Scenario: A flow that fails is restarted until it works, and the others go on
    When a lamp is ordered by ann
    And the revenue is 10
    And a rug is ordered by bob
    Then billing is restarting because of "rug has no price"
    And the parcels are for ann and bob
    When a rug costs 90
    Then the invoices are for ann and bob
    And the revenue is 100
    And only billing has been restarted

  Scenario: A service that fails again and again is not healthy
    When a rug is ordered by bob
    Then the service is not healthy because of billing
    When a rug costs 90
    Then the service is healthy

  Scenario: Flows stop after those whose results they read
    When lamps are ordered by ann and bob
    And the revenue is 20
    And the service is stopped
    Then billing has stopped before revenue

  Scenario: A service goes on where it has stopped
    When a lamp is ordered by ann
    And the revenue is 10
    And the service is stopped
    And a lamp is ordered by bob
    And the service runs again
    Then the invoices are for ann and bob
    And the revenue is 20

  Scenario: A version of the service has a chain of its own
    When a lamp is ordered by ann
    And the revenue is 10
    And the service is stopped
    And a lamp costs 15
    And the service runs as version v2
    Then the revenue of version v2 is 15
    And the invoices of version v2 are for ann
    And the revenue is 10
