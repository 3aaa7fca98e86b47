"""How jobs look to a person: the list, one job, what came of a wish, the live view."""
