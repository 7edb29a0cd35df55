"""The kinds of governance obligations (section 5): small instances of one interface."""
