"""One node: its facts, its base system, its drivers, what is wrong with it."""
