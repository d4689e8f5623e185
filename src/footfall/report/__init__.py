"""What Footfall made, for people: numbers, tables, plots and pictures.

`render` draws bodies, `plots` draws curves and maps, `reproduce` runs papers' experiments again.
"""
