"""How adapters are built from settings, one module a technology; the container puts them together.

Libraries of extras are imported when something needs them, so that everything else works without them.
"""
