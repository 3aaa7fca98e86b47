"""One module per command group; each command is parse → flow → render."""
