"""Facts of one node: each is a command and a pure parser; all are asked for in one round trip."""
