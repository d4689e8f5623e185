"""The papers' experiments, run again, with the printed figures beside ours.

`findings.py` has the rows that every paper fills and the list of papers, `document.py` writes a
report as Markdown and HTML, `frame.py` is how reports begin, tell progress and end, `drawing.py`
makes pictures; the modules of one paper begin with its name.
"""
