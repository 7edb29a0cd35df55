"""Unit tests of the protocol: rule by rule, with expected values from the paper."""
