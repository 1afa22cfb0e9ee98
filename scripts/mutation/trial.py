"""Builds all mutants of a plan at once and runs, for each, the tests that reach it until one fails.

Needs Python, CMake and a C compiler. All is in build/mutants: a copy of the sources with the mutants, its
build, and what the tests reach. Several processes may share them, each with a part of the plan.
"""
import concurrent.futures
import contextlib
import fcntl
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

from . import plant

CORE_TESTS = ("base", "body", "bounds", "broad", "contour", "geometry", "library", "mesh", "model", "query", "scene",
              "shape", "tree", "volume")
MORE_TESTS = ("gallery", "lab", "libs", "tool")
COPIED = ("CMakeLists.txt", "LICENSE", "README.md", "cmake", "src", "include", "libs", "gallery", "tests", "examples",
          "fuzz", "web", "docs", "tool", "lab")
SETTINGS = ["-DCMAKE_BUILD_TYPE=Release", "-DPLIANT_BUILD_TESTS=ON", "-DPLIANT_BUILD_TOOL=ON", "-DPLIANT_BUILD_LAB=ON",
            "-DPLIANT_PEERS=OFF", "-DPLIANT_BUILD_PYTHON=OFF", "-DPLIANT_INSTALL=OFF",
            "-DCMAKE_COMPILE_WARNING_AS_ERROR=OFF"]
PLAIN = "-O1 -DNDEBUG"
SANITIZED = "-O1 -DNDEBUG -fsanitize=address,bounds -fno-sanitize-recover=all"
MEMORY = 8 << 30


class Failure(Exception):
    """The mutants cannot be tried."""


def say(text):
    print(f"mutants: {text}", file=sys.stderr, flush=True)


class Build:
    """The copy of the sources, its build, and its tests."""

    def __init__(self, root, jobs, name=".", flags=PLAIN):
        self.root, self.jobs, self.flags = root, jobs, flags
        self.folder = os.path.normpath(os.path.join(root, "build", "mutants", name))
        self.source = os.path.join(self.folder, "source")
        self.build = os.path.join(self.folder, "build")
        os.makedirs(self.folder, exist_ok=True)

    @contextlib.contextmanager
    def lock(self, kind):
        """LOCK_EX to change the build, LOCK_SH to run its tests."""
        with open(os.path.join(self.folder, ".lock"), "w", encoding="ascii") as file:
            fcntl.flock(file, kind)
            yield

    def copy(self, changed=()):
        """Makes the copy equal to the sources, but for the texts of `changed`; equal files keep their times."""
        changed, wanted = dict(changed), set()
        for top in COPIED:
            path = os.path.join(self.root, top)
            places = [(self.root, [], [top])] if os.path.isfile(path) else os.walk(path)
            for place, folders, names in places:
                folders[:] = [name for name in folders if name not in ("node_modules", "__pycache__")]
                for name in names:
                    file = os.path.relpath(os.path.join(place, name), self.root)
                    wanted.add(file)
                    with open(os.path.join(self.root, file), "rb") as opened:
                        data = opened.read()
                    self.write(file, changed[file].encode("latin-1") if file in changed else data)
        for place, _, names in os.walk(self.source):
            for name in names:
                if os.path.relpath(os.path.join(place, name), self.source) not in wanted:
                    os.remove(os.path.join(place, name))

    def write(self, file, data):
        path = os.path.join(self.source, file)
        if os.path.exists(path):
            with open(path, "rb") as opened:
                if opened.read() == data:
                    return
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as opened:
            opened.write(data)

    def call(self, *command):
        """Runs a command; returns whether it succeeded, and what it printed."""
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        return done.returncode == 0, done.stdout.decode(errors="replace")

    def configure(self):
        here = os.path.dirname(os.path.abspath(__file__))
        point = os.path.join(self.folder, "point.o")
        good, log = self.call(os.environ.get("CC", "cc"), "-O2", "-fPIC", "-c", os.path.join(here, "point.c"), "-o",
                              point)
        if good:
            linked = [f"-DCMAKE_{kind}_LINKER_FLAGS={point}" for kind in ("EXE", "SHARED", "MODULE")]
            linked += [f"-DCMAKE_{language}_FLAGS_RELEASE={self.flags}" for language in ("C", "CXX")]
            ninja = ["-G", "Ninja"] if shutil.which("ninja") else []
            good, log = self.call("cmake", "-S", self.source, "-B", self.build, "--log-level=WARNING", *ninja,
                                  *SETTINGS, "-DCMAKE_C_FLAGS=-include " + os.path.join(here, "point.h"), *linked)
        if not good:
            raise Failure(log)

    def make(self, *targets):
        more = ["--", "-k", "0"] if os.path.exists(os.path.join(self.build, "build.ninja")) else ["--", "-k"]
        return self.call("cmake", "--build", self.build, "--parallel", str(self.jobs), "--target", *targets, *more)

    def tests(self, folders):
        """Returns the commands and folders of the test programs beside these folders' sources."""
        good, listed = self.call("ctest", "--test-dir", self.build, "--show-only=json-v1")
        if not good:
            raise Failure(listed)
        paths = {name[5:-2]: os.path.relpath(place, os.path.join(self.root, "tests"))
                 for place, _, names in os.walk(os.path.join(self.root, "tests")) for name in names
                 if name.startswith("test_") and name.endswith(".c")}
        found = {}
        for test in json.loads(listed[listed.index("{"):])["tests"]:
            program = os.path.join(self.build, "bin", "test_" + test["name"])
            folder, command = paths.get(test["name"]), test.get("command", [program])  # none before it is built
            if folder and folder.split("/")[0] in folders and command == [program]:
                environment = next((p["value"] for p in test["properties"] if p["name"] == "ENVIRONMENT"), [])
                found[test["name"]] = {"folder": folder, "command": command,
                                       "environment": dict(item.split("=", 1) for item in environment)}
        return found


def run_program(command, environment, processor, wall, memory=MEMORY):
    """Runs a test; returns its status (negative: a signal; None: it did not end) and its processor time."""
    def limit():
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_CPU, (processor, processor))
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))

    with tempfile.TemporaryDirectory(prefix="mutants.") as place:
        scale = os.environ.get("PLIANT_TEST_SCALE", "0.1")
        process = subprocess.Popen(command, cwd=place, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL, preexec_fn=limit, start_new_session=True,
                                   env={**os.environ, "PLIANT_TEST_SCALE": scale, "CMOCKA_TEST_ABORT": "1",
                                        "TMPDIR": place, **environment})
        late = []
        timer = threading.Timer(wall, lambda: (late.append(True), os.killpg(process.pid, signal.SIGKILL)))
        timer.start()
        _, status, usage = os.wait4(process.pid, 0)
        timer.cancel()
        process.returncode = 0
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    spent = usage.ru_utime + usage.ru_stime
    if late or (os.WIFSIGNALED(status) and os.WTERMSIG(status) in (signal.SIGXCPU, signal.SIGKILL)):
        return None, spent
    return os.waitstatus_to_exitcode(status), spent


class Trial:
    """A plan, built, with what each test reaches."""

    def __init__(self, build, plan, texts, pattern=""):
        self.build, self.mutants, self.texts = build, plan["mutants"], texts
        self.pattern = pattern  # of the names of tests
        self.key = plan["key"] + pattern
        self.dropped, self.tests, self.reached = set(), {}, {}  # `dropped` cannot be chosen at run time
        self.rate_lock = threading.Lock()
        self.memory = MEMORY if build.flags == PLAIN else resource.RLIM_INFINITY  # sanitizers reserve terabytes

    # ---------------------------------------------------------------- building

    def planted(self):
        """Returns the texts of the files with mutants, without those that did not compile."""
        edits = {}
        for number, mutant in enumerate(self.mutants):
            if number not in self.dropped:
                edits.setdefault(mutant["file"], []).append((number, mutant))
        return {file: plant.plant(self.texts(file), some) for file, some in edits.items()}

    def prepare(self):
        """Builds the mutants and records the tests, unless another process has done it."""
        state = os.path.join(self.build.folder, "prepared.json")
        with self.build.lock(fcntl.LOCK_EX):
            if os.path.exists(state):
                with open(state, encoding="utf-8") as file:
                    saved = json.load(file)
                if saved["key"] == self.key:
                    self.dropped = set(saved["dropped"])
                    self.tests = saved["tests"]
                    self.reached = {name: set(numbers) for name, numbers in saved["reached"].items()}
                    return
                os.remove(state)
            self.build_all()
            self.record()
            with open(state, "w", encoding="utf-8") as file:
                json.dump({"key": self.key, "dropped": sorted(self.dropped), "tests": self.tests,
                           "reached": {name: sorted(numbers) for name, numbers in self.reached.items()}}, file)

    def build_all(self):
        start = time.time()
        for _ in range(8):
            changed = self.planted()
            self.build.copy(changed)
            self.build.configure()
            folders = CORE_TESTS
            if any(m["operator"] == "fault" or not m["file"].startswith("src/") for m in self.mutants):
                folders += MORE_TESTS
            self.tests = {name: test for name, test in self.build.tests(folders).items()
                          if re.search(self.pattern, name)}
            if not self.tests:
                raise Failure("there are no tests: cmocka was not found, or no test has this name")
            good, log = self.build.make(*("test_" + name for name in self.tests))
            if good:
                say(f"{len(self.mutants) - len(self.dropped)} mutants and {len(self.tests)} tests are built "
                    f"({time.time() - start:.0f} s)")
                return
            self.drop(log, changed)
        raise Failure(log)

    def drop(self, log, changed):
        """Plants alone the mutants on lines that the compiler complains about, or all of their files."""
        places = {(os.path.relpath(os.path.join(self.build.build, m[1]), self.build.source), int(m[2]))
                  for m in re.finditer(r"([^\s:]+):(\d+):\d+: (?:error|note)", log)}
        numbers = set()
        for file, text in changed.items():
            lines = text.splitlines()
            named = {line for name, line in places if name == file and line <= len(lines)}
            found = re.findall(r"PLIANT_MUTANT\((\d+)\)", "".join(lines[line - 1] for line in named))
            numbers.update(map(int, found or (re.findall(r"PLIANT_MUTANT\((\d+)\)", text) if named else ())))
        if not numbers - self.dropped:
            raise Failure(log[-4000:])
        self.dropped |= numbers

    def record(self):
        """Runs every test without a mutant: how long it takes, and which mutants it reaches."""
        start = time.time()

        def one(name):
            test = self.tests[name]
            with tempfile.NamedTemporaryFile(prefix="mutants.") as file:
                file.write(bytes(max(len(self.mutants), 1)))
                file.flush()
                environment = {**test["environment"], "PLIANT_MUTANTS_REACHED": file.name}
                status, spent = run_program(test["command"], environment, 1200, 3600, self.memory)
                file.seek(0)
                return name, status, spent, [i for i, byte in enumerate(file.read()) if byte]

        with concurrent.futures.ThreadPoolExecutor(self.build.jobs) as pool:
            for name, status, spent, reached in pool.map(one, sorted(self.tests)):
                if status in (0, 77):
                    self.tests[name]["seconds"] = spent
                    self.reached[name] = set(reached)
                else:
                    say(f"test_{name} fails without a mutant (status {status}) and is left out")
        self.tests = {name: test for name, test in self.tests.items() if name in self.reached}
        say(f"{len(self.tests)} tests are recorded ({time.time() - start:.0f} s, "
            f"{sum(test['seconds'] for test in self.tests.values()):.0f} s of processor time)")

    # ---------------------------------------------------------------- trying

    def order(self, number):
        """Lists the tests that reach a mutant, those first that find most mutants per second."""
        folder = self.mutants[number]["file"].split("/")[1]

        def rank(name):
            test = self.tests[name]
            near = 3.0 if test["folder"] == folder else 1.0
            with self.rate_lock:
                rate = (test.get("kills", 0) + 0.5) / (test.get("tries", 0) + 1.0)
            return -near * rate / (test["seconds"] + 0.1)

        names = [name for name in self.tests if number in self.reached[name]]
        if number in self.dropped or (self.is_alone(number) and "probe" not in self.mutants[number]):
            names = list(self.tests)
        return sorted(names, key=rank)

    def is_alone(self, number):
        return number in self.dropped or self.mutants[number]["kind"] == "alone"

    def attempt(self, number):
        """Runs the tests of one mutant; returns (verdict, test)."""
        names = self.order(number)
        if not names:
            return "not reached", ""
        for name in names:
            test = self.tests[name]
            status, _ = run_program(test["command"], {**test["environment"], "PLIANT_MUTANT": str(number)},
                                    int(4 * test["seconds"]) + 5, 20 * test["seconds"] + 120, self.memory)
            with self.rate_lock:
                test["tries"] = test.get("tries", 0) + 1
                test["kills"] = test.get("kills", 0) + (status not in (0, 77))
            if status not in (0, 77):
                return "hangs" if status is None else "crashes" if status < 0 and status != -6 else "killed", name
        return "survived", f"{len(names)} tests"

    def attempt_alone(self, number):
        """Builds one mutant that cannot be chosen at run time, then runs its tests."""
        mutant = self.mutants[number]
        original = self.planted().get(mutant["file"], self.texts(mutant["file"]))
        text = plant.plant_alone(self.texts(mutant["file"]), mutant)
        self.build.write(mutant["file"], text.encode("latin-1"))
        try:
            good, _ = self.build.make(*("test_" + name for name in self.order(number)))
            return self.attempt(number) if good else ("does not compile", "")
        finally:
            self.build.write(mutant["file"], original.encode("latin-1"))

    def run(self, numbers, report):
        """Tries mutants and calls report(number, verdict, test, seconds) for each."""
        def one(number):
            start = time.time()
            return number, *self.attempt(number), time.time() - start

        alone = [n for n in numbers if self.is_alone(n)]
        with self.build.lock(fcntl.LOCK_SH), concurrent.futures.ThreadPoolExecutor(self.build.jobs) as pool:
            chosen = [pool.submit(one, n) for n in numbers if n not in alone]
            for done in concurrent.futures.as_completed(chosen):
                report(*done.result())
        if alone:
            with self.build.lock(fcntl.LOCK_EX):
                for number in alone:
                    start = time.time()
                    report(number, *self.attempt_alone(number), time.time() - start)
                self.build.make(*("test_" + name for name in self.tests))
