"""Curves drawn in a terminal."""
