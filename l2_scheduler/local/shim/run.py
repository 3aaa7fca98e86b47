"""Entry of a shim: puts the package root on the path, behind the standard library, and hands over."""

import gc
import sys

if __name__ == "__main__":
    sys.path.append(__file__.rsplit("/", 4)[0])
    gc.disable()  # nothing that an import makes is garbage
    from l2_scheduler.local.shim.main import main

    gc.enable()
    sys.exit(main(sys.argv[1], int(sys.argv[2])))
