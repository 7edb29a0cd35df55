"""State machines of Hypothesis: random behaviours of the implementation, shrunk when they fail."""
