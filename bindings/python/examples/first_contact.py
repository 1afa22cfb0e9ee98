"""When two meshes first touch: one falls onto the other, and the step in which they meet is cut
short where they do."""
import numpy
import pliant
from meshes import make_torus

positions, triangles = make_torus()
shape = pliant.Shape(positions, triangles)
lower, upper = pliant.Body(shape), pliant.Body(shape)
query = pliant.Query()

height = 3.0
upper.set_positions(positions + numpy.float32([0.7, 0.2, height]))
while True:
    upper.begin_step()
    upper.set_positions(positions + numpy.float32([0.7, 0.2, height - 0.25]))
    free = query.find_free_time(lower, upper)
    if free.meeting.kind != pliant.MeetingKind.NONE:
        break
    height -= 0.25
advance = query.advance_bodies([lower, upper])
print(f"They meet {free.time:.6f} of the way through the step: triangle {free.pair.a} and "
      f"triangle {free.pair.b}, {free.meeting.kind.name.lower()}.")
assert len(pliant.collide(lower, upper)) == 0, "the bodies were stopped before they touch"
near = query.find_within(lower, upper, 1e-3)
print(f"Stopped at {advance.time:.6f}, {near.pairs['gap']['distance'].min():.2e} apart.")
