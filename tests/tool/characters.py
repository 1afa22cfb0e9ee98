#!/usr/bin/env python3
"""Writes characters for judge_test.sh whose contacts are of kinds that people call fine or wrong.

usage: characters.py FOLDER KIND [name=value...]

Kinds that are fine: antlers (rooted in a head that moves), visor (half sunk in a head whose skin
follows the neck a little), balls (joints of a robot that turn in their shells). A garment is wrong
where raw=1: skin comes through it in motion; else it was pushed out of the skin in every pose.
Numbers: scale (units of the file), fps (of the keys), fine (subdivision), seed, deep (of what is
attached, in percent of its size), lag (the percent of a turn by which skin stays behind it), poke (of
skin through a raw garment, in percent of its size), gap (of cloth from skin, in percent of a unit);
open=1: neither surface is closed; soft=1: balls follow both sides; shuffle=1: another order of all;
only=mesh or only=clips: that alone; still=1: a clip more that moves nothing.
"""
import json
import math
import os
import random
import struct
import sys

# ------------------------------------------------------------------ vectors and turns


def add(a, b, s=1.0):
    return tuple(x + s * y for x, y in zip(a, b))


def unit(a):
    length = math.sqrt(sum(x * x for x in a)) or 1.0
    return tuple(x / length for x in a)


def cross(a, b):
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def turn(axis, degrees):
    """A quaternion, x y z w."""
    half = math.radians(degrees) / 2
    return tuple(math.sin(half) * x for x in unit(axis)) + (math.cos(half),)


def rotate(q, v):
    u, w = q[:3], q[3]
    t = tuple(2 * x for x in cross(u, v))
    return add(add(v, t, w), cross(u, t))


# ------------------------------------------------------------------ meshes


class Mesh:
    """Positions, triangles, and per vertex its weights of joints."""

    def __init__(self):
        self.at, self.faces, self.weights = [], [], []

    def join(self, other):
        base = len(self.at)
        self.at += other.at
        self.weights += other.weights
        self.faces += [tuple(base + i for i in face) for face in other.faces]
        return self

    def shuffle(self, rng):
        """The same surface as another exporter may write it."""
        order = list(range(len(self.at)))
        rng.shuffle(order)
        place = {old: new for new, old in enumerate(order)}
        self.at = [self.at[i] for i in order]
        self.weights = [self.weights[i] for i in order]
        self.faces = [tuple(place[face[(k + turned) % 3]] for k in range(3))
                      for turned, face in enumerate(self.faces)]
        rng.shuffle(self.faces)

    def weigh(self, rule):
        self.weights = [rule(at) for at in self.at]
        return self


def tube(path, radii, around, closed=True):
    """A tube along a path; with its ends closed by caps."""
    mesh = Mesh()
    side = (0.0, 0.0, 1.0)
    for i, centre in enumerate(path):
        ahead = unit(add(path[min(i + 1, len(path) - 1)], path[max(i - 1, 0)], -1.0))
        side = unit(add(side, ahead, -sum(x * y for x, y in zip(side, ahead))))
        other = cross(ahead, side)
        for k in range(around):
            angle = 2 * math.pi * k / around
            way = add(tuple(math.cos(angle) * x for x in side), other, math.sin(angle))
            mesh.at.append(add(centre, way, radii[i]))
    for i in range(len(path) - 1):
        for k in range(around):
            a, b = i * around + k, i * around + (k + 1) % around
            mesh.faces += [(a, b, a + around), (b, b + around, a + around)]
    if closed:
        first, last = len(mesh.at), len(mesh.at) + 1
        mesh.at += [path[0], path[-1]]
        end = (len(path) - 1) * around
        for k in range(around):
            n = (k + 1) % around
            mesh.faces += [(first, n, k), (last, end + k, end + n)]
    return mesh


def ball(centre, radii, rings, around):
    path = [add(centre, (0, -radii[1] * math.cos(math.pi * (i + 0.5) / rings), 0)) for i in range(rings)]
    sizes = [radii[0] * math.sin(math.pi * (i + 0.5) / rings) for i in range(rings)]
    return tube(path, sizes, around)


def line(a, b, count):
    return [add(a, add(b, a, -1.0), i / count) for i in range(count + 1)]


def blend(value, low, high, first, second):
    """Weights that go from one joint to another between two values."""
    share = min(max((value - low) / (high - low), 0.0), 1.0)
    share = share * share * (3 - 2 * share)
    return {first: 1 - share, second: share}


# ------------------------------------------------------------------ skeletons and files


class Rig:
    def __init__(self, joints):
        """joints: name, parent, position; parents come first."""
        self.joints = joints
        self.index = {joint[0]: i for i, joint in enumerate(joints)}

    def pose(self, turns):
        """Per joint its turn and place in the world."""
        made = []
        for name, parent, at in self.joints:
            local = turns.get(name, (0, 0, 0, 1))
            if parent is None:
                made.append((local, at))
                continue
            q, place = made[self.index[parent]]
            here = add(place, rotate(q, add(at, self.joints[self.index[parent]][2], -1.0)))
            x, y = q, local
            product = (x[3] * y[0] + x[0] * y[3] + x[1] * y[2] - x[2] * y[1],
                       x[3] * y[1] - x[0] * y[2] + x[1] * y[3] + x[2] * y[0],
                       x[3] * y[2] + x[0] * y[1] - x[1] * y[0] + x[2] * y[3],
                       x[3] * y[3] - x[0] * y[0] - x[1] * y[1] - x[2] * y[2])
            made.append((product, here))
        return made

    def move(self, mesh, turns):
        posed, moved = self.pose(turns), []
        for at, weights in zip(mesh.at, mesh.weights):
            sum_ = (0.0, 0.0, 0.0)
            for name, weight in weights.items():
                q, place = posed[self.index[name]]
                rest = self.joints[self.index[name]][2]
                sum_ = add(sum_, add(place, rotate(q, add(at, rest, -1.0))), weight)
            moved.append(sum_)
        return moved


class Writer:
    """A GLB file of skinned meshes and turning joints."""

    def __init__(self):
        self.data, self.views, self.accessors = b"", [], []

    def put(self, code, kind, numbers, width):
        raw = struct.pack("<%d%s" % (len(numbers), code), *numbers)
        self.views.append({"buffer": 0, "byteOffset": len(self.data), "byteLength": len(raw)})
        self.data += raw + b"\0" * (-len(raw) % 4)
        made = {"bufferView": len(self.views) - 1, "count": len(numbers) // width, "type": kind,
                "componentType": {"f": 5126, "I": 5125, "H": 5123}[code]}
        if kind == "VEC3" or kind == "SCALAR":
            made["min"] = [min(numbers[k::width]) for k in range(width)]
            made["max"] = [max(numbers[k::width]) for k in range(width)]
        self.accessors.append(made)
        return len(self.accessors) - 1

    def write(self, path, rig, meshes, clips, scale, fps):
        nodes, made, skin = [], [], rig.index
        for name, parent, at in rig.joints:
            base = rig.joints[skin[parent]][2] if parent else (0, 0, 0)
            nodes.append({"name": name, "translation": [scale * x for x in add(at, base, -1.0)]})
        for name, parent, _ in rig.joints:
            if parent:
                nodes[skin[parent]].setdefault("children", []).append(skin[name])
        inverse = []
        for _, _, at in rig.joints:
            inverse += [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0] + [-scale * x for x in at] + [1]
        roots = [skin[name] for name, parent, _ in rig.joints if not parent]
        for name, mesh in meshes:
            joints, weights = [], []
            for one in mesh.weights:
                four = sorted(one.items(), key=lambda x: -x[1])[:4]
                four += [(rig.joints[0][0], 0.0)] * (4 - len(four))
                joints += [skin[joint] for joint, _ in four]
                weights += [weight for _, weight in four]
            attributes = {
                "POSITION": self.put("f", "VEC3", [scale * x for at in mesh.at for x in at], 3),
                "JOINTS_0": self.put("H", "VEC4", joints, 4),
                "WEIGHTS_0": self.put("f", "VEC4", weights, 4)}
            faces = self.put("I", "SCALAR", [i for face in mesh.faces for i in face], 1)
            made.append({"primitives": [{"attributes": attributes, "indices": faces}]})
            nodes.append({"name": name, "mesh": len(made) - 1, "skin": 0})
            roots.append(len(nodes) - 1)
        animations = []
        for name, (seconds, motion) in clips.items():
            count = max(int(round(seconds * fps)), 1)
            times = self.put("f", "SCALAR", [i / fps for i in range(count + 1)], 1)
            channels, samplers = [], []
            for joint in motion(0.0):
                turns = [x for i in range(count + 1) for x in motion(i / count)[joint]]
                samplers.append({"input": times, "output": self.put("f", "VEC4", turns, 4)})
                channels.append({"sampler": len(samplers) - 1,
                                 "target": {"node": skin[joint], "path": "rotation"}})
            animations.append({"name": name, "channels": channels, "samplers": samplers})
        root = {"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": roots}], "nodes": nodes,
                "meshes": made, "animations": animations, "accessors": self.accessors,
                "skins": [{"joints": list(range(len(rig.joints))),
                           "inverseBindMatrices": self.put("f", "MAT4", inverse, 16)}],
                "bufferViews": self.views, "buffers": [{"byteLength": len(self.data)}]}
        for empty in ("meshes", "animations"):
            if not root[empty]:
                del root[empty]
        text = json.dumps(root).encode()
        text += b" " * (-len(text) % 4)
        with open(path, "wb") as file:
            file.write(struct.pack("<III", 0x46546C67, 2, 28 + len(text) + len(self.data)))
            file.write(struct.pack("<II", len(text), 0x4E4F534A) + text)
            file.write(struct.pack("<II", len(self.data), 0x004E4942) + self.data)


def write_obj(path, name, at, faces, scale):
    with open(path, "w") as file:
        file.write("o %s\n" % name)
        file.writelines("v %.7g %.7g %.7g\n" % tuple(scale * x for x in point) for point in at)
        file.writelines("f %d %d %d\n" % tuple(i + 1 for i in face) for face in faces)


# ------------------------------------------------------------------ kinds


def swing(joint_axes):
    """Each joint swings about its axis by so many degrees and back, to both sides or to one."""
    def motion(share):
        made = {}
        for joint, axis, degrees, pace in joint_axes:
            there = math.sin(2 * math.pi * share * pace) if pace > 0 else math.sin(math.pi * share) ** 2
            made[joint] = turn(axis, degrees * there)
        return made
    return motion


NECK = [("hips", None, (0, 1.0, 0)), ("neck", "hips", (0, 1.4, 0)), ("head", "neck", (0, 1.7, 0))]


def head_and_neck(fine, lag):
    """A trunk, neck and head of one closed skin; the skull stays behind by this share of each turn."""
    path = line((0, 0.6, 0), (0, 2.05, 0), 16 * fine)
    radii = []
    for at in path:
        y = at[1]
        skull = 0.17 * math.sqrt(max(1 - ((y - 1.83) / 0.23) ** 2, 0.0)) if y > 1.6 else 0.0
        neck = 0.1 if y < 1.75 else 0.0
        trunk = 0.3 * math.sqrt(max(1 - ((y - 1.0) / 0.45) ** 2, 0.0))
        radii.append(max(skull, neck, trunk, 0.01))
    skin = tube(path, radii, 14 * fine)

    def rule(at):
        if at[1] < 1.5:
            return blend(at[1], 1.2, 1.5, "hips", "neck")
        share = blend(at[1], 1.5, 1.7, "neck", "head")["head"] * (1 - lag)
        return {"neck": 1 - share, "head": share}
    return skin.weigh(rule)


def antlers(options):
    """Two beams with points, rooted in the skull, that follow the head alone."""
    rng, fine, deep = options["seed"], options["fine"], options["deep"]
    rig, skin = Rig(NECK), head_and_neck(fine, options["lag"] / 100)
    beams, length = Mesh(), 0.5 + 0.2 * rng.random()
    for side in (-1, 1):
        root = (side * 0.07, 1.83 + 0.21 * math.sqrt(1 - (0.07 / 0.17) ** 2) - deep * 2 * length, 0.0)
        tip = (side * 0.45, root[1] + length, -0.2)
        path = [add(at, (0, 0, 0.08 * math.sin(3 * i / 10))) for i, at in enumerate(line(root, tip, 8 * fine))]
        radii = [0.03 * (1.15 - i / len(path)) for i in range(len(path))]
        beams.join(tube(path, radii, 6 * fine))
        fork = path[len(path) // 2]
        beams.join(tube(line(fork, add(fork, (0, 0.2, 0.15)), 4), [0.02, 0.018, 0.015, 0.01, 0.004], 6))
    beams.weigh(lambda at: {"head": 1.0})
    clips = {"graze": (1.5, swing([("neck", (1, 0, 0), 50, 1), ("head", (1, 0, 0), 35, 1)])),
             "shake": (1.0, swing([("head", (0, 1, 0), 40, 2), ("neck", (0, 0, 1), 20, 1)]))}
    return rig, [("Skin", skin), ("Antlers", beams)], clips


def visor(options):
    """A curved strip, half sunk in the face."""
    fine, deep = options["fine"], options["deep"]
    rig, skin = Rig(NECK), head_and_neck(fine, options["lag"] / 100)
    strip, steps = Mesh(), 12 * fine
    low, high = 1.79, 1.88
    size = math.hypot(0.36, 0.09)
    for i in range(steps + 1):
        angle = math.pi * (0.15 + 0.7 * i / steps)
        for y in (low, high):
            for r in (0.17 - deep * size, 0.185):
                strip.at.append((r * math.cos(angle), y, r * math.sin(angle)))
    for i in range(steps):
        a, b = 4 * i, 4 * i + 4
        for p, q in ((0, 1), (1, 3), (3, 2), (2, 0)):
            if options["open"] and (p, q) == (1, 3):
                continue
            strip.faces += [(a + p, b + p, a + q), (b + p, b + q, a + q)]
    end = 4 * steps
    strip.faces += [(0, 1, 2), (1, 3, 2), (end, end + 2, end + 1), (end + 1, end + 2, end + 3)]
    strip.weigh(lambda at: {"head": 1.0})
    clips = {"look": (1.2, swing([("head", (0, 1, 0), 45, 1), ("neck", (0, 1, 0), 25, 1)])),
             "run": (0.8, swing([("head", (1, 0, 0), 25, 2), ("neck", (1, 0, 0), 20, 1)]))}
    return rig, [("Soldier", skin), ("Visor", strip)], clips


def balls(options):
    """An arm and a leg of stiff shells, with a ball in every joint that follows both sides of it."""
    rng, fine, deep = options["seed"], options["fine"], options["deep"]
    joints, shells, joint_balls, swings = [("hips", None, (0, 1.0, 0))], Mesh(), Mesh(), []
    shells.join(ball((0, 1.0, 0), (0.2, 0.3), 8 * fine, 12 * fine).weigh(lambda at: {"hips": 1.0}))
    limbs = (("arm", (0.25, 1.2, 0), (1, 0.1, 0), 80), ("leg", (0.08, 0.7, 0), (0.05, -1, 0), 95))
    for name, start, way, bend in limbs:
        at, parent, way = start, "hips", unit(way)
        for part in range(3):
            joint, radius = "%s%d" % (name, part), 0.075 - 0.015 * part
            joints.append((joint, parent, at))
            joint_balls.join(ball(at, (radius, radius), 8 * fine, 12 * fine).weigh(
                lambda _, j=joint, p=parent: {j: 0.5, p: 0.5} if options["soft"] else {j: 1.0}))
            cut = deep * 2 * radius  # how far the shell reaches over the ball
            path = line(add(at, way, radius - cut), add(at, way, 0.4 - radius + cut), 6 * fine)
            thick = [0.75 * radius * (1 + 0.15 * math.sin(math.pi * i / (len(path) - 1))) for i in range(len(path))]
            shells.join(tube(path, thick, 12 * fine).weigh(lambda _, j=joint: {j: 1.0}))
            degrees = bend * (0.6 + 0.4 * rng.random()) / (1 + 0.3 * part)
            swings.append((joint, (0.2, 0, 1) if name == "arm" else (1, 0.1, 0), degrees, 0))
            at, parent = add(at, way, 0.4), joint
    kick = [(joint, axis, -0.3 * degrees if joint[0] == "l" else 0.5 * degrees, 0)
            for joint, axis, degrees, _ in swings]
    clips = {"wave": (1.0, swing(swings)), "kick": (0.7, swing(kick))}
    return Rig(joints), [("Surface", shells), ("Joints", joint_balls)], clips


def limb(fine):
    """A closed skin that bulges like a limb, and the rig that bends it."""
    path = line((0, 0, 0), (0.9, 0, 0), 24 * fine)
    radii = [0.07 + 0.015 * math.sin(9 * at[0]) for at in path]
    skin = tube(path, radii, 16 * fine)
    skin.weigh(lambda at: blend(at[0], 0.35, 0.55, "upper", "lower"))
    return Rig([("upper", None, (0, 0, 0)), ("lower", "upper", (0.45, 0, 0))]), skin


LIMB_CLIPS = {"bend": (1.0, swing([("lower", (0, 0, 1), 65, 0)])),
              "twist": (0.8, swing([("lower", (1, 0.3, 0), 40, 1)]))}


def clothe(skin_at, fine, around, skip, offset):
    """A sleeve over rings 4 to 20 of a limb: each `skip`th of its vertices, moved off the skin."""
    mesh, columns = Mesh(), around // skip
    rings = range(4 * fine, 20 * fine + 1, skip)
    for r in rings:
        for c in range(columns):
            i = r * around + c * skip
            here, beside = skin_at[i], skin_at[r * around + (c * skip + 1) % around]
            normal = unit(cross(add(beside, here, -1), add(skin_at[i + around], here, -1)))
            mesh.at.append(add(here, normal, offset(r / fine, c * skip / around)))
    for i in range(len(rings) - 1):
        for c in range(columns):
            a, b = i * columns + c, i * columns + (c + 1) % columns
            mesh.faces += [(a, b, a + columns), (b, b + columns, a + columns)]
    return mesh


def garment(options):
    """A sleeve on a limb. Raw: it does not bend where the skin does, which comes through. Repaired: it
    lies off the skin and follows it."""
    fine = options["fine"]
    rig, skin = limb(fine)
    cloth = clothe(skin.at, fine, 16 * fine, 1, lambda r, c: options["gap"] / 100)
    shift = 0.12 * options["poke"] / 0.01 if options["raw"] else 0.0
    cloth.weigh(lambda at: blend(at[0], 0.35 - shift, 0.55 - shift, "upper", "lower"))
    return rig, [("Skin", skin), ("Sleeve", cloth)], LIMB_CLIPS


def write_sequence(path, options):
    """The same as simulated: numbered files of a coarser sleeve. Raw: skin comes through in a place that
    wanders over it; repaired: it was pushed out of the skin by the gap, and by what it cuts of it."""
    fine, number = options["fine"], 1
    rig, skin = limb(fine)
    for seconds, motion in LIMB_CLIPS.values():
        for i in range(int(seconds * options["fps"]) + 1):
            share = i / (seconds * options["fps"])
            at = rig.move(skin, motion(share))

            def offset(ring, turned, share=share):
                bump = math.exp(-((ring - 6 - 10 * share) / 2) ** 2 - (6 * (turned - 0.5)) ** 2)
                gap = options["gap"] / 100
                raw = options["raw"] * min(4 * share, 1.0)
                return gap - bump * raw * (0.7 * options["poke"] + gap)
            cloth = clothe(at, fine, 16 * fine, fine, offset)
            write_obj("%s-skin.%04d.obj" % (path, number), "Skin", at, skin.faces, options["scale"])
            write_obj("%s-cloth.%04d.obj" % (path, number), "Sleeve", cloth.at, cloth.faces, options["scale"])
            number += 1


def main():
    folder, kind = sys.argv[1:3]
    options = {"scale": 1.0, "fps": 24.0, "fine": 2, "seed": 1, "deep": 3.0, "poke": 1.0, "raw": 1, "soft": 0,
               "gap": 0.4, "lag": 1.0, "open": 0, "shuffle": 0, "still": 0, "only": "", "name": kind}
    for word in sys.argv[3:]:
        name, value = word.split("=")
        options[name] = value if name in ("name", "only") else type(options[name])(float(value))
    options["seed"] = random.Random(options["seed"])
    options["deep"] /= 100
    options["poke"] /= 100
    path = os.path.join(folder, options["name"])
    if kind == "sequence":
        write_sequence(path, options)
        return
    rig, meshes, clips = {"antlers": antlers, "visor": visor, "balls": balls, "garment": garment}[kind](options)
    if options["open"]:  # the skin ends above the hips
        skin = meshes[0][1]
        skin.faces = [face for face in skin.faces if min(skin.at[i][1] for i in face) > 1.1]
    if options["only"] == "clips":
        meshes = []
    elif options["only"] == "mesh":
        clips = {}
    if options["still"]:
        clips["idle"] = (1.0, lambda share: {rig.joints[0][0]: (0, 0, 0, 1)})
    for _, mesh in meshes if options["shuffle"] else []:
        mesh.shuffle(options["seed"])
    Writer().write(path + ".glb", rig, meshes, clips, options["scale"], options["fps"])


main()
