"""Runs when Python processes of Spark start; the folder is the first entry of their module search path."""
