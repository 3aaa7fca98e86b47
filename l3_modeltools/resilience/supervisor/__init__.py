"""Keeps the ranks of one node at work: starts them, notices what goes wrong, starts them again, or says why not."""
