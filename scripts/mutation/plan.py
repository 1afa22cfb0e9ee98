"""Chooses mutants and writes them into a plan, which needs no clang to run."""
import ast
import collections
import concurrent.futures
import hashlib
import json
import os
import pickle
import random
import re
import time

from . import plant, source, syntax, trial

FOLDERS = ("geometry", "bounds", "query", "contour", "volume")
TABLE = "tests/mutants.txt"  # faults written by hand
KEPT = 7 * 86400  # seconds that a syntax tree of another state of the sources is kept
EXPLAINED = "tests/mutants_explained.txt"  # mutants that change no result, and why


def digest(*texts):
    return hashlib.sha1("\0".join(texts).encode("latin-1", "replace")).hexdigest()


def identity(notation):
    """The short name of a mutant; edits elsewhere do not change it."""
    return digest(notation)[:10]


class Tree:
    """The sites of all mutants, from clang."""

    def __init__(self, jobs, sources):
        self.build = trial.Build(sources.root, jobs, "clang")
        self.build.source = sources.root  # no copy: nothing is planted here
        self.sources = sources
        self.sites, self.nodes = set(), {}

    def commands(self):
        """Lists the compilations of src/ that differ in more than their output."""
        self.build.configure()
        good, log = self.build.make("pliant_made")
        if not good:
            raise trial.Failure(log)
        with open(os.path.join(self.build.build, "compile_commands.json"), encoding="utf-8") as file:
            listed = json.load(file)
        found = {}
        for command in listed:
            name = os.path.relpath(command["file"], self.build.source)
            options = re.findall(r"(?<= )-(?:isystem \S+|(?:I|D|std=|m(?!tune|prefer))\S*)", command["command"])
            options = [word for option in options for word in option.split()]
            if name in self.sources.wanted and name.endswith(".c"):
                found[name, *options] = {"directory": command["directory"], "arguments":
                                         ["clang", *options, "-w", "-DNDEBUG", "-fsyntax-only", "-Xclang",
                                          "-ast-dump=json", command["file"]]}
        return found

    def read(self, jobs, folders):
        """Reads the syntax trees of all files of these top folders; those of unchanged files are kept."""
        self.sources.wanted = {name for name in self.sources.files if name.split("/")[0] in folders}
        kept = os.path.join(self.build.folder, "syntax")
        os.makedirs(kept, exist_ok=True)
        headers = digest(*(self.sources.text(name) for name in self.sources.files if not name.endswith(".c")))
        with open(syntax.__file__, encoding="utf-8") as file:
            version = digest(ast.dump(ast.parse(file.read())), headers)
        commands = self.commands()
        paths = {key: os.path.join(kept, digest(version, " ".join(key).replace(self.sources.root, ""),
                                                self.sources.text(key[0]))) for key in commands}
        for name in os.listdir(kept):
            path = os.path.join(kept, name)
            if path not in paths.values() and os.path.getmtime(path) < time.time() - KEPT:
                os.remove(path)
        new = [(self.sources.root, self.sources.wanted, command, paths[key])
               for key, command in commands.items() if not os.path.exists(paths[key])]
        with concurrent.futures.ProcessPoolExecutor(jobs) as pool:
            list(pool.map(read_one, new))
        nodes = collections.defaultdict(lambda: syntax.Nodes(set(), set()))
        for path in paths.values():
            with open(path, "rb") as file:
                sites, found = pickle.load(file)
            self.sites |= sites
            for name, more in found.items():
                nodes[name].values.update(more.values)
                nodes[name].statements.update(more.statements)
        self.nodes = dict(nodes)


def read_one(job):
    """Reads one syntax tree into a file; runs in a process of its own."""
    root, wanted, command, path = job
    sources = source.Sources(root)
    sources.wanted = wanted
    made = syntax.read_tree(sources, root, command)
    with open(path + ".new", "wb") as file:
        pickle.dump(made, file)
    os.rename(path + ".new", path)


def read_table(sources, path=TABLE):
    """Lists (name, notation, place, new) of the faults written by hand: lines "NAME  MUTANT"."""
    found, lost = [], []
    for _, line, _ in source.read_entries(os.path.join(sources.root, path)):
        name, _, notation = line.partition(" ")
        try:
            found.append((name, notation.strip(), *sources.find(notation.strip())))
        except source.NotFound as error:
            lost.append(f"{name}: {error}")
    if lost:
        raise source.NotFound("\n".join(lost))
    return found


def read_explained(sources, path=EXPLAINED):
    """Returns the places and texts of mutants that are known to change no result."""
    found = {}
    for number, line, why in source.read_entries(os.path.join(sources.root, path)):
        place, new = sources.find(line)
        if not why:
            raise source.NotFound(f"{path}:{number}: no sentence says why")
        found[place, tuple(source.words(new))] = " ".join(why)
    return found


def of_site(sources, site):
    """Returns the plan's entry of a mutant that clang found."""
    named = source.Place(site.file, site.name_start, site.name_end)
    notation = sources.notation(named, site.name_new)
    return {"id": identity(notation), "mutant": notation, "operator": site.operator, "file": site.file,
            "kind": site.kind, "start": site.start, "end": site.end, "new": site.new}


def of_fault(sources, nodes, name, notation, place, new):
    """Returns the plan's entry of a mutant that is given by its text."""
    edit = plant.embed(sources, nodes.get(place.file), place, new)
    entry = {"id": name or identity(notation), "mutant": notation, "operator": "fault", **edit._asdict()}
    if edit.kind == "alone":
        definition = sources.definition_at(edit.file, edit.start)
        body = re.search(r"^\{$", sources.text(edit.file)[definition.start:definition.end], re.M)
        if body and definition.start + body.end() <= edit.start:
            entry["probe"] = definition.start + body.end()
    return entry


def is_explained(sources, site, explained):
    place = source.Place(site.file, site.name_start, site.name_end)
    return (place, tuple(source.words(site.name_new))) in explained


def choose(sources, tree, folders, operators, count, seed):
    """Returns random mutants of folders, without the explained ones."""
    explained = read_explained(sources)
    folders = tuple(name + "/" for name in folders)
    sites = sorted(site for site in tree.sites if site.file.startswith(folders) and site.operator in operators)
    sites = [site for site in sites if not is_explained(sources, site, explained)]
    picked = random.Random(seed).sample(sites, min(count, len(sites))) if count else sites
    return [of_site(sources, site) for site in sorted(picked)]


def separate(mutants):
    """Plants alone what overlaps another mutant without being inside it."""
    by_file = collections.defaultdict(list)
    for mutant in mutants:
        if mutant["kind"] != "alone":
            by_file[mutant["file"]].append(mutant)
    for some in by_file.values():
        some.sort(key=lambda m: (m["start"], -m["end"]))
        open_ends = []
        for mutant in some:
            open_ends = [end for end in open_ends if end > mutant["start"]]
            if any(end < mutant["end"] for end in open_ends):
                mutant["kind"] = "alone"
            else:
                open_ends.append(mutant["end"])
    return mutants


def make(sources, mutants, seed):
    """Returns the plan: mutants, and the checksums of the files that they are in."""
    files = {mutant["file"]: digest(sources.text(mutant["file"])) for mutant in mutants}
    body = {"seed": seed, "files": files, "mutants": separate(mutants)}
    return {"key": digest(json.dumps(body, sort_keys=True)), **body}


def check(sources, plan):
    for file, sum_of_file in plan["files"].items():
        if digest(sources.text(file)) != sum_of_file:
            raise source.NotFound(f"{file} is not the file that the plan was made for")


def read(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def write(path, plan):
    with open(path, "w", encoding="utf-8") as file:
        json.dump(plan, file, indent=0)
