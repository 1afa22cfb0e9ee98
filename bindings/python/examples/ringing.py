"""A body of vibration modes rings through another one: only coordinates change, and bounds follow
from them, so that vertices far from the other body are never computed."""
import numpy
import pliant
from meshes import make_torus

positions, triangles = make_torus(96, 48)
angle = numpy.arctan2(positions[:, 1], positions[:, 0])
outward = positions / numpy.linalg.norm(positions, axis=1, keepdims=True)
modes = numpy.stack([0.2 * numpy.cos(k * angle)[:, None] * outward for k in (2, 3, 4, 5)])
bell = pliant.Body(pliant.Shape(positions, triangles, modes=modes.astype(numpy.float32)))
wall = pliant.Body(pliant.Shape(
    numpy.float32([[1.5, -3, -3], [1.5, 3, -3], [1.5, 0, 4]]), numpy.uint32([[0, 1, 2]])))
query = pliant.Query()

most, read = 0, 0
for step in range(200):
    time = step / 100
    coordinates = [numpy.exp(-time) * numpy.cos(9 * k * time) for k in (2, 3, 4, 5)]
    bell.set_coordinates(numpy.float32(coordinates))
    contacts = query.collide(bell, wall)
    most = max(most, len(contacts))
    read += query.stats.vertices_read
print(f"At most {most} triangles pass through the wall; a step reads {read / 200:.0f} of "
      f"{len(positions)} vertices.")
assert most > 0
