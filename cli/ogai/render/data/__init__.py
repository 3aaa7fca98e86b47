"""How data sets, and the making of one, look to a person."""
