"""The tests of Footfall.

Each of the processes that pytest-xdist starts has a core to itself: matrices are multiplied by one
thread, also in the programs that tests start, instead of by as many as there are cores.
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
