"""Which bodies of a file touch, in which frames: of the file that is named, or of a small sequence."""
import pathlib
import sys

import pliant

here = pathlib.Path(__file__).resolve().parents[3]
path = sys.argv[1] if len(sys.argv) > 1 else here / "examples/press.#.obj"
report = pliant.check(path, against="none")
print(report)
for clip in report.clips:
    for pair in clip.pairs:
        print(f"{clip.name}: {pair.a} and {pair.b} touch in {pair.all.frames} of {clip.frames} "
              f"frames, deepest {pair.all.depth}")

# The same by hand: bodies that move, and questions about them.
model = pliant.load(path)
scene = pliant.Scene()
for body in model.bodies:
    scene.add(body)
for number, clip in enumerate(model.clips):
    touching = [time for time in model.frames(number) if len(scene.collide(mode="first")) > 0]
    print(f"{clip.name}: something touches in {len(touching)} frames")
