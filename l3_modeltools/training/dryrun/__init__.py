"""A step without computing: what one rank of each pipeline stage would hold, run and exchange, by torch's operators.

The second witness of a step's memory: its figures come from the tensors that a model makes, not from formulas.
"""
