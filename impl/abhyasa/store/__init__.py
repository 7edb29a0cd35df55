"""The durable side of both endpoints, in the few transactions that the protocol names."""
