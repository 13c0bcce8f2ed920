"""How the records of a batch are planned, read, decoded and put in order."""
