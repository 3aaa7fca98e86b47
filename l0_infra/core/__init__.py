"""The floor every layer stands on: documents, errors, units, node sets, exec, store."""
