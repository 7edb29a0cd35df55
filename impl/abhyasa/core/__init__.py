"""The pure half of the protocol: values and transitions. No I/O, no clock, no randomness."""
