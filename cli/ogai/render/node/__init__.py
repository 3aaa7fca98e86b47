"""How nodes look to a person: one, many in a table, what is wrong with them."""
