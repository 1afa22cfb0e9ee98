"""The files of the project, each read once."""
import os
import re
import subprocess

CODE = (".c", ".h", ".inl", ".cpp", ".hpp", ".cu", ".py", ".js", ".mjs", ".ts")
C_LIKE = (".c", ".h", ".inl", ".cpp", ".hpp", ".cu")
GENERATED_NAMES = ("bindings/python/pliant/_types.py",)


class Tree:
    """A checkout: names, texts and the complaints about them."""

    def __init__(self, root):
        self.root = root
        self.complaints = []
        self._texts = {}
        self.names = self._list()

    def _list(self):
        if os.path.exists(os.path.join(self.root, ".git")):
            listed = subprocess.run(
                ["git", "-C", self.root, "ls-files", "--cached", "--others", "--exclude-standard"],
                capture_output=True, text=True, check=True).stdout.split("\n")
        else:
            listed = [os.path.relpath(os.path.join(folder, name), self.root)
                      for folder, _, names in os.walk(self.root) for name in names]
        return sorted({name for name in listed
                       if name and os.path.isfile(os.path.join(self.root, name))})

    def text(self, name):
        """Returns the text of a file; bytes that are not UTF-8 are replaced."""
        if name not in self._texts:
            with open(os.path.join(self.root, name), encoding="utf-8", errors="replace") as file:
                self._texts[name] = file.read()
        return self._texts[name]

    def lines(self, name):
        """Counts the lines of a file as wc does."""
        return self.text(name).count("\n")

    def is_generated(self, name):
        """Returns true for files that a script writes: their first line has "generated"."""
        first = self.text(name).split("\n", 1)[0]
        return name in GENERATED_NAMES or re.search(r"\bgenerated\b", first, re.I) is not None

    def code(self, folder="", endings=CODE):
        """Lists hand-written source files below a folder ("": all), by their endings."""
        return [name for name in self.names if self.has_ending(name, endings)
                and (not folder or name.startswith(folder + "/")) and not self.is_generated(name)]

    def has_ending(self, name, endings):
        """Returns true for an ending of the list; a script for Python without one has ".py"."""
        return name.endswith(endings) or (
            ".py" in endings and "." not in os.path.basename(name)
            and re.match(r"#!.*python", self.text(name)) is not None)

    def docs(self):
        """Lists pages of documentation."""
        return [name for name in self.names
                if name == "README.md" or (name.startswith("docs/") and name.endswith(".md"))]

    def complain(self, name, line, text):
        self.complaints.append(f"{name}:{line}: {text}")
