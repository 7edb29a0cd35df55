"""What checking costs, in ratios to TLC taken in one run: `make bench`."""
