"""Results files of pliant-bench (docs/bench-json.md): reading them, and numbers as text."""
import json
import math
import pathlib
import statistics
import subprocess

SCHEMA = 2


class Missing(Exception):
    """A figure that a table or a sentence names and no results file has."""


def number(value):
    """About three digits and no exponent, or a dash."""
    if value is None or not math.isfinite(value):
        return "-"
    if value == 0:
        return "0"
    size, decimals, limit = abs(value), 2, 1.0
    while decimals < 5 and size < limit:
        decimals, limit = decimals + 1, limit * 0.1
    return f"{value:.{0 if size >= 100 else 1 if size >= 10 else decimals}f}"


def count(value):
    """A whole number with commas, or a dash."""
    return "-" if value is None or not math.isfinite(value) else f"{value:,.0f}"


UNITS = (("_ms", "ms"), ("_us", "us"), ("_ns", "ns"), ("_mib", "MiB"), ("per_second", "a second"))
COUNTS = ("contacts_pile",)
FACTORS = ("speedup", "control")  # ratios among the cells of rows


def unit(key):
    """The unit of a figure among an experiment's ratios: "x" of a ratio; "" of counts, powers, shares."""
    if key[:3] in ("ns_", "ms_"):
        return key[:2]
    if key.startswith("bytes_"):
        return "bytes"
    if key in COUNTS or key.startswith(("growth_", "crossover_")) or "exponent" in key or "share" in key:
        return ""
    return next((name for ending, name in UNITS if key.endswith(ending)), "x")


def figure(key, value):
    """A figure with its unit: 9.73x, 3.85 ns, or a dash."""
    text, name = number(value), unit(key)
    return text if text == "-" or not name else text + name if name == "x" else f"{text} {name}"


def times(value):
    """A ratio: 9.73x, or a dash."""
    return figure("x", value)


def check_contests(path, experiment):
    """The contestants of a contest were measured alike, and every contest of a ratio is there."""
    found = {}
    for one in experiment.get("contestants", ()):
        first = found.setdefault(one["contest"], one)
        for key in ("plays", "steps", "states_per_second"):
            if one[key] != first[key]:
                raise Missing(f"{path}: {experiment['name']}, {one['contest']}: {key} of {first['name']} "
                              f"is {first[key]}, of {one['name']} {one[key]}")
    for key, contest in experiment.get("made", {}).items():
        if contest not in found:
            raise Missing(f"{path}: {experiment['name']}.{key} is of a contest '{contest}' without "
                          "contestants")


def check_medians(path, experiment):
    """Every figure is the median of its runs, where the file has these: none was typed by hand."""
    samples = experiment.get("samples", {})
    pairs = [(experiment["ratios"], samples.get("ratios", {}), "")]
    pairs += [(row, of_row, row["method"])
              for row, of_row in zip(experiment["rows"], samples.get("rows", []))]
    for figures, runs, where in pairs:
        for key, values in runs.items():
            values = [value for value in values if value is not None]
            median = statistics.median(values) if values else None
            shown = figures.get(key)
            if median is None or shown is None:
                agrees = median is shown
            else:
                agrees = abs(shown - median) <= 1e-4 * abs(median) + 1e-9
            if not agrees:
                raise Missing(f"{path}: {experiment['name']}{{{where}}}.{key} is {shown}, but the median "
                              f"of its runs is {median}")


class Machine:
    """One results file. With `draft`, what is missing is a dash instead of an error."""

    def __init__(self, path, draft=False):
        self.path = pathlib.Path(path)
        self.name = self.path.stem
        self.draft = draft
        try:
            self.data = json.loads(self.path.read_text(encoding="utf-8"))
            schema = self.data["schema"]
            self.experiments = {e["name"]: e for e in self.data["experiments"]}
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise Missing(f"{path} is no results file of pliant-bench: {error!r}") from error
        if schema != SCHEMA:
            raise Missing(f"{path} has schema {schema}, not {SCHEMA}")
        if self.data.get("length") == "quick" and not draft:
            raise Missing(f"{path} is of a quick run, which is not to be quoted (--draft shows it)")
        for experiment in self.experiments.values():
            check_medians(path, experiment)
            check_contests(path, experiment)

    # Figures. `maybe` allows for what some machines or builds do not have.

    def _miss(self, what):
        if self.draft:
            return math.nan
        raise Missing(f"{self.path}: there is no {what}")

    def experiment(self, name):
        return self.experiments.get(name) or self._miss_experiment(name)

    def _miss_experiment(self, name):
        self._miss(f"experiment {name}")
        return {"rows": [], "ratios": {}, "series": {}, "notes": [], "paper": {}, "meanings": {},
                "units": {}, "runs": 0, "name": name}

    def ratio(self, experiment, key, maybe=False):
        value = self.experiment(experiment)["ratios"].get(key)
        if value is None:
            return math.nan if maybe else self._miss(f"{experiment}.{key}")
        return value

    def has(self, experiment, key):
        return experiment in self.experiments and key in self.experiments[experiment]["ratios"]

    def quartiles(self, experiment, key):
        """The two quartiles of a ratio; None where all runs agree or there is one run."""
        return self.experiment(experiment).get("quartiles", {}).get("ratios", {}).get(key)

    def paper(self, experiment, key):
        return self.experiment(experiment)["paper"].get(key, math.nan)

    def rows(self, experiment):
        return self.experiment(experiment)["rows"]

    def cell(self, experiment, method, key, maybe=False, **where):
        """A cell of the first row of that method whose cells are as `where` says."""
        for row in self.rows(experiment):
            if row["method"] == method and row.get(key) is not None and all(
                    row.get(name) == value for name, value in where.items()):
                return row[key]
        if maybe:
            return math.nan
        return self._miss(f"{experiment}{{{method}}}.{key}" +
                          "".join(f", {name} {value}" for name, value in where.items()))

    def is_count(self, experiment, key):
        return self.experiment(experiment)["units"].get(key) == "count"

    def cell_text(self, experiment, row, key):
        """A cell of a row as a table shows it; what a row does not have is a dash."""
        if key.startswith("over_") or key in FACTORS:
            return times(row.get(key))
        return (count if self.is_count(experiment, key) else number)(row.get(key))

    def series(self, experiment, name):
        found = self.experiment(experiment)["series"].get(name)
        if found is None:
            self._miss(f"series {name} of {experiment}")
        return found or []

    def notes(self, experiment):
        return self.experiment(experiment)["notes"]

    def runs_of(self, experiment, key):
        """The values of all runs of a ratio."""
        found = self.experiment(experiment)
        all_runs = found.get("samples", {}).get("ratios", {}).get(key)
        return all_runs or [self.ratio(experiment, key)] * found.get("runs", 1)

    def age(self, root):
        """Returns a warning if the file is older than the code or its record, else None."""
        words = []
        commit = self.data.get("commit", "unknown").split("-")[0]
        later = subprocess.run(["git", "-C", str(root), "rev-list", "--count", f"{commit}..HEAD", "--", "src",
                                "lab", "gallery", ":!lab/results", ":!lab/figures"],
                               capture_output=True, text=True, check=False)
        if later.returncode == 0 and later.stdout.strip() != "0":
            words.append(f"{later.stdout.strip()} commits since {commit[:7]} changed src, lab or gallery")
        if not all("contestants" in e for e in self.experiments.values()):
            words.append("it does not say how often contestants played")
        return f"{self.path.name} is older than the code: {'; '.join(words)}" if words else None

    # What it was measured on.

    def runs(self):
        return sorted({e.get("runs", 1) for e in self.experiments.values()})

    def title(self):
        """Its name, the commit and how often it was run, as the head of a column."""
        runs = self.runs() or [1]
        words = " to ".join(str(n) for n in dict.fromkeys((runs[0], runs[-1])))
        commit = self.data.get("commit", "unknown")[:7]
        return f"{self.name} ({commit}), {words} run{'s' if runs[-1] > 1 else ''}"

    def about(self, key):
        if key == "runs":
            runs = self.runs()
            if not runs or runs[-1] < 2:
                return "one run"
            return f"medians of {' to '.join(str(n) for n in dict.fromkeys((runs[0], runs[-1])))} runs"
        if key == "file":
            scenes = "scenes/" if self.path.parent.name == "scenes" else ""
            return f"lab/results/{scenes}{self.path.name}"
        value = self.data.get(key, self.data["machine"].get(key))
        if value is None:
            self._miss(f"machine.{key}")
        return str(value)

    def sentence(self):
        """The line that says what the figures were measured on."""
        machine = self.data["machine"]
        parts = [machine.get("cpu", "unknown processor"), f"{machine['cores']} cores",
                 machine.get("system", ""), machine.get("compiler", ""), machine.get("flags", "")]
        text = (f"Measured on {', '.join(part for part in parts if part)}; instruction set "
                f"{machine['isa']}; "
                f"{'one thread' if machine['threads'] == 1 else str(machine['threads']) + ' threads'}"
                f"{'; governor ' + machine['governor'] if machine.get('governor') else ''}. "
                f"Pliant {self.data['version']}, commit {self.data.get('commit', 'unknown')}, "
                f"{self.data.get('date', '')[:10]}; {self.about('runs')} "
                f"({self.about('file')}).")
        if self.data.get("length") == "quick":
            text += "\n**A quick run, for trying out the script that writes these pages: do not quote.**"
        return text
