"""The live view of a run as pictures: pure functions from a scene to lines."""
