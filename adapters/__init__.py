"""The technologies at the edges, one third-party library a folder, and the container that wires them."""
