"""Line charts on a logarithmic axis, as SVG text."""
import math
from xml.sax.saxutils import escape

WIDTH, HEIGHT, TOP, BOTTOM = 920.0, 560.0, 136.0, 440.0
INK, PALE, RULE = "#1b1f24", "#57606a", "#d5dae0"
SHAPES = {
    "d": "M0,-5.5L5.5,0L0,5.5L-5.5,0Z",
    "s": "M-4,-4H4V4H-4Z",
    "t": "M0,-5.2L5.2,4.2H-5.2Z",
    "c": "M-4.5,0A4.5,4.5 0 1 0 4.5,0A4.5,4.5 0 1 0 -4.5,0Z",
    "x": "M-4,-4L4,4M-4,4L4,-4",
}


class Style:
    def __init__(self, name, colour, marker, scattered=False):
        self.name, self.colour, self.marker, self.scattered = name, colour, marker, scattered


class Panel:
    """`lines` are (style, xs, ys), `points` (style, x, y, text, text at the right), hollow."""

    def __init__(self, title, left, right, lines=(), points=(), marked=None, text_at_top=False):
        self.title, self.left, self.right = title, left, right
        self.lines = [line for line in lines if len(line[1]) > 0 and len(line[2]) > 0]
        self.points, self.marked, self.text_at_top = points, marked, text_at_top
        self.lowest = self.highest = 0.0


class Chart:
    def __init__(self, title, subtitle, last_step, panels, notes, step_title="step",
                 time_title="ms per step"):
        self.title, self.subtitle, self.last_step = title, subtitle, last_step
        self.panels, self.notes = panels, notes
        self.step_title, self.time_title = step_title, time_title

    def x(self, panel, step):
        return panel.left + (panel.right - panel.left) * step / self.last_step

    @staticmethod
    def y(panel, time):
        share = (math.log10(time) - panel.lowest) / (panel.highest - panel.lowest)
        return BOTTOM - (BOTTOM - TOP) * min(max(share, 0.0), 1.0)

    def svg(self):
        align_ranges(self.panels)
        parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH:.0f} {HEIGHT:.0f}" '
            f'width="{WIDTH:.0f}" height="{HEIGHT:.0f}" role="img" font-family="system-ui, '
            "'Segoe UI', Helvetica, Arial, sans-serif\">",
            f"<title>{escape(self.title)}</title>",
            f'<rect x="0.5" y="0.5" width="{WIDTH - 1:.0f}" height="{HEIGHT - 1:.0f}" rx="8" '
            f'fill="#ffffff" stroke="{RULE}"/>',
            text(24, 34, "start", f'font-size="18" font-weight="600" fill="{INK}"', self.title),
            text(24, 56, "start", f'font-size="13" fill="{PALE}"', self.subtitle)]
        parts += self.legend(self.panels[0])
        for panel in self.panels:
            parts += self.panel(panel)
        for i, note in enumerate(self.notes):
            parts.append(text(24, 506 + 18 * i, "start", f'font-size="12" fill="{PALE}"', note))
        return "\n".join(parts + ["</svg>", ""])

    @staticmethod
    def legend(panel):
        x = panel.left
        for style, _, _ in panel.lines:
            if not style.scattered:
                yield rule(x, 88, x + 30, 88, f'stroke="{style.colour}" stroke-width="2"')
            yield marker(style, x + 15, 88)
            yield text(x + 37, 92, "start", f'font-size="13" fill="{INK}"', style.name)
            x += 37 + 7.2 * len(style.name) + 22

    def panel(self, panel):
        yield text(panel.left, TOP - 12, "start",
                   f'font-size="13" font-weight="600" fill="{INK}"', panel.title)
        yield from self.time_axis(panel)
        yield from self.step_axis(panel)
        if panel.marked is not None:
            step, words = panel.marked
            x = self.x(panel, step)
            yield rule(x, TOP, x, BOTTOM, f'stroke="{PALE}" stroke-dasharray="2 4"')
            yield text(x + 6, TOP + 14 if panel.text_at_top else BOTTOM - 9, "start",
                       f'font-size="12" font-style="italic" fill="{PALE}"', words)
        for which in range(len(panel.lines)):
            yield from self.line(panel, which)
        for style, step, time, words, at_right in panel.points:
            x, y = self.x(panel, step), self.y(panel, time)
            yield marker(style, x, y, hollow=True)
            yield text(x + 4 if at_right else x - 10, y - 12 if at_right else y + 4,
                       "start" if at_right else "end",
                       f'font-size="12" fill="{INK}" stroke="#ffffff" stroke-width="4" '
                       'paint-order="stroke"', words)

    def line(self, panel, which):
        """A marker about every tenth of the run, each line's a little later than the one before."""
        style, steps, times = panel.lines[which]
        places = [(self.x(panel, step), self.y(panel, time)) for step, time in zip(steps, times)]
        sparse = len(places) > 20 and not style.scattered
        every = len(places) // 10 if sparse else 1
        first = every * (which + 1) // (len(panel.lines) + 1) if sparse else 0
        if not style.scattered:
            yield (f'<polyline fill="none" stroke="{style.colour}" stroke-width="2" '
                   'stroke-linejoin="round" points="' +
                   " ".join(f"{x:.1f},{y:.1f}" for x, y in places) + '"/>')
        for x, y in places[first::every]:
            yield marker(style, x, y, 0.6 if style.scattered else 1.0)

    def time_axis(self, panel):
        yield rule(panel.left, TOP, panel.left, BOTTOM, f'stroke="{PALE}"')
        for power in range(math.floor(panel.lowest), math.floor(panel.highest) + 1):
            for part in range(1, 10):
                time = part * 10.0 ** power
                if not panel.lowest - 1e-9 <= math.log10(time) <= panel.highest + 1e-9:
                    continue
                y = self.y(panel, time)
                if part > 1:
                    yield rule(panel.left - 4, y, panel.left, y, f'stroke="{RULE}"')
                    continue
                yield rule(panel.left, y, panel.right, y, f'stroke="{RULE}"')
                yield text(panel.left - 8, y + 4, "end", f'font-size="12" fill="{PALE}"',
                           f"{time:.{max(-power, 0)}f}")
        yield (f'<text transform="translate({panel.left - 52:.1f} {0.5 * (TOP + BOTTOM):.1f}) '
               f'rotate(-90)" text-anchor="middle" font-size="12" fill="{PALE}">'
               f"{escape(self.time_title)}</text>")

    def step_axis(self, panel):
        yield rule(panel.left, BOTTOM, panel.right, BOTTOM, f'stroke="{PALE}"')
        for i in range(5):
            step = self.last_step * i / 4
            x = self.x(panel, step)
            yield rule(x, BOTTOM, x, BOTTOM + 5, f'stroke="{PALE}"')
            yield text(x, BOTTOM + 20, "middle", f'font-size="12" fill="{PALE}"', f"{step:.0f}")
        yield text(0.5 * (panel.left + panel.right), BOTTOM + 38, "middle",
                   f'font-size="12" fill="{PALE}"', self.step_title)


def text(x, y, anchor, attributes, words):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" {attributes}>{escape(words)}</text>'


def rule(x1, y1, x2, y2, attributes):
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" {attributes}/>'


def marker(style, x, y, scale=1.0, hollow=False):
    open_shape = hollow or style.marker == "x"
    return (f'<path transform="translate({x:.1f} {y:.1f}) scale({scale:.2g})" '
            f'd="{SHAPES[style.marker]}" fill="{"#ffffff" if hollow else style.colour}" '
            f'stroke="{style.colour if open_shape else "#ffffff"}" '
            f'stroke-width="{2 if open_shape else 1}"/>')


def round_up(time):
    """The logarithm of the next 1, 2 or 5 times a power of ten at or above a time."""
    base = 10.0 ** math.floor(math.log10(time))
    return math.log10(base * next(part for part in (1, 2, 5, 10) if time / base <= part + 1e-12))


def align_ranges(panels):
    """Equal spans for all panels: equal heights are then equal ratios."""
    for panel in panels:
        times = [time for _, _, values in panel.lines for time in values if time and time > 0]
        times += [point[2] for point in panel.points]
        panel.lowest = -round_up(1.2 / min(times)) if times else -1.0
        panel.highest = round_up(1.2 * max(times)) if times else 1.0
    span = max(panel.highest - panel.lowest for panel in panels)
    for panel in panels:
        panel.lowest = panel.highest - span
