"""The modules that a rank of a cut model is made of."""
