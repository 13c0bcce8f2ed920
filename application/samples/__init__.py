"""The sample flows, grouped by business context, each with the simulator of its input and the messages about its alerts.

Samples import what a user's flow imports: `eddyline` and their domain. The library never imports a sample.
"""
