"""Loops that run long, given the faces of the layers they need."""
