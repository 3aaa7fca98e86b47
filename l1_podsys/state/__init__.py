"""What is known of clusters on this machine: where each is kept, which is current, its secrets, what checks found.

Each name of the face comes from its own module, so that to ask which cluster is current loads little.
"""
