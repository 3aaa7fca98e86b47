"""A run stays alive: what went wrong is noticed, named, mended within a budget, and accounted for."""
