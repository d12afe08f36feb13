"""What the generators of programs share: a source of choices from a seed, fresh names, lines with their indentation."""

import contextlib
import random


class Writer:
    """The lines of one program, as they are made."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.lines = []
        self.indent = 0
        self.names = 0

    def pick(self, items):
        return self.random.choice(items)

    def chance(self, probability):
        return self.random.random() < probability

    def name(self, stem):
        self.names += 1
        return f"{stem}{self.names}"

    def emit(self, text):
        self.lines.append("    " * self.indent + text)

    @contextlib.contextmanager
    def block(self, head):
        """The head of a compound statement; what is emitted inside stands in its body."""
        self.emit(head)
        self.indent += 1
        yield
        self.indent -= 1
