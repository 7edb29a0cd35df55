"""Teeth: faults planted on purpose, and the proof that the ordinary checks catch each of them."""
