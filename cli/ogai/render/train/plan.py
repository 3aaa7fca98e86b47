"""stub"""


def print_plan(p):
    pass


def print_rehearsal(r, o):
    pass
