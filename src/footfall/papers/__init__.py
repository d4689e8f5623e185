"""Reproduce the papers' experiments, with the printed figures beside ours.

`reproduce.py` runs the experiments of any paper and lists the papers. `findings.py` has the rows
that every paper fills, `document.py` writes a report as Markdown and HTML, `drawing.py` makes
pictures, and `printed.py` reads the printed figures. The modules of one paper begin with its name.
"""
