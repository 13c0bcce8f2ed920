"""How adapters are built from settings, one module per technology; the container puts them together.

Libraries of extras are imported only when they are needed, so that everything else works without them.
"""
