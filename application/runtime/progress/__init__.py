"""How far a run is: its reports and positions, and the contents of its stores."""
