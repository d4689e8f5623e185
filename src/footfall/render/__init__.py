"""Draw pictures and animations of bodies without a screen.

`render.py` has `render`; `sheet.py`, `film.py` and `in_scene.py` compose a page, an animation and
a picture in a scene; `raster.py` draws triangles and lines.
"""
