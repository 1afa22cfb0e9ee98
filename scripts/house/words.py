"""The language: sentences, words that leave, names of files in texts, subjects of commits."""
import os
import re
import subprocess

from . import sentences

# Parts whose findings count apart; the ratchet of each only falls.
PARTS = ("include", "src", "docs", "libs", "tool", "bindings", "tests", "lab")
GENERATED_PAGES = re.compile(r"docs/(?:figures|[a-z]+-functions)\.md$")

# Private nouns for things that have a name in the field; each is counted in comments and names below
# the folder, in its ordinary sense too.
LEAVING = {
    "src": r"asker|ball|crumbs|doomed|endless|extras|given|hunger|journey|known_body|loose|lone|"
           r"meant_box|parting|rounder|spent|stretch|traveller|wider",
    "libs": r"parting|loose|stretch|site|ball",
    "tool": r"site|part_of_body|piece",
}

NAMED_FILE = re.compile(r"(?<![\w./*<-])((?:[\w-]+/)*[\w-]+\.(?:c|h|inl|md|hpp|cu))\b(?![\w*(]|\.\w)")


def count_findings(tree):
    """Returns (counts for the ratchet, findings) over all texts."""
    counts, findings = {"sentences": 0}, []
    for rule in sentences.RULES:
        counts.update({f"{rule}.{part}": 0 for part in PARTS + ("other",)})
    for name in tree.names:
        if tree.is_generated(name) or GENERATED_PAGES.match(name) or "node_modules/" in name:
            continue
        part = name.split("/")[0]
        part = "docs" if name == "README.md" else part if part in PARTS else "other"
        for line, rule, sentence in sentences.findings_of(name, tree.text(name)):
            counts["sentences"] += rule is None
            if rule:
                counts[f"{rule}.{part}"] += 1
                findings.append((name, line, rule, sentence))
    del counts["sentences"]
    return {key: count for key, count in counts.items() if not key.startswith("subject")}, findings


def count_leaving(tree):
    counts = {}
    for folder, pattern in LEAVING.items():
        matcher = re.compile(rf"(?:\b|_)(?:{pattern})(?:\b|_|s\b)")
        counts[f"leaving.{folder}"] = sum(
            len(matcher.findall(tree.text(name))) for name in tree.code(folder))
    return counts


def count_docs(tree):
    """Counts the words of the pages, without those that a script writes."""
    return {"words.docs": sum(len(tree.text(name).split()) for name in tree.docs()
                              if not GENERATED_PAGES.match(name))}


def check_named_files(tree):
    """Complains about comments and pages that name a file of the project which does not exist."""
    ends = set()
    for name in tree.names:
        steps = name.split("/")
        ends.update("/".join(steps[i:]) for i in range(len(steps)))
    made = re.compile(r"[\w-]+\.(?:h|c|inl|md)")
    ends.update(found for name in tree.names if os.path.basename(name) == "CMakeLists.txt"
                or name.startswith(("cmake/", "scripts/"))
                for found in made.findall(tree.text(name)))
    for name in tree.names:
        kind = os.path.splitext(name)[1]
        if kind == ".md" and (name in tree.docs() or name == "CONTRIBUTING.md"):
            texts = sentences.markdown_texts(tree.text(name))
        elif kind in sentences.KINDS and name.startswith(("src/", "include/", "libs/", "tool/", "tests/", "lab/")):
            texts = sentences.code_texts(tree.text(name), sentences.KINDS[kind])
        else:
            continue
        for _, lines in texts:
            for line, text in lines:
                for found in NAMED_FILE.findall(text):
                    if found not in ends and not re.search("[A-Z]{4}", found):  # FOLDER, NAME
                        tree.complain(name, line, f"there is no file {found}")


def check_subjects(tree, base):
    """Complains about subjects of the commits after `base` that are too long."""
    log = subprocess.run(["git", "-C", tree.root, "log", "--no-merges", "--format=%h %s",
                          base + "..HEAD"], capture_output=True, text=True, check=True).stdout
    for commit, subject in (line.split(" ", 1) for line in log.splitlines()):
        if len(subject) > sentences.MOST_SUBJECT:
            tree.complain(commit, len(subject), "the subject of the commit has more than "
                          f"{sentences.MOST_SUBJECT} characters: {subject}")


def measure(tree):
    counts, _ = count_findings(tree)
    counts.update(count_leaving(tree))
    counts.update(count_docs(tree))
    return counts
