"""What the commands do, free of any command line: the layers composed."""
