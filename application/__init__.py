"""What Eddyline does with events, with no technology in it: ports, topologies, operators, runtime and flows."""
