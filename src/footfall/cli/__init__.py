"""The command line: one program, `footfall`, one file per command.

A verb fills its options, calls one function of the package and shows the result; `output.py` is
how all of them talk, `options.py`, `reading.py` and `writing.py` hold the options they share.
"""
