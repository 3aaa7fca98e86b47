"""From a few answers and a look at the hosts to a cluster's document that a person can go on with. Pure.

Each name of the face comes from its own module.
"""
