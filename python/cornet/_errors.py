"""Exceptions. Numerical outcomes are never exceptions: see Result.status."""


class Error(Exception):
    """Base of all exceptions raised on purpose. The text is one line: where, what was found, what was expected."""


class InvalidProblem(Error, ValueError):
    """The data of a problem contradict each other or its definition."""


class InvalidOption(Error, ValueError):
    """An unknown solver, an unknown option, or a value out of its range."""


class WrongType(Error, TypeError):
    """An argument of the wrong type: None for a matrix, float32 for float64."""


class IoError(Error, OSError):
    """A file cannot be read, is not what its name says, or cannot be written."""


class MissingFeature(Error, NotImplementedError):
    """The data are legal, but this version cannot handle them (rolling friction, for example)."""


class MemoryLimit(Error, MemoryError):
    """A solve is estimated to need more memory than `memory_limit` allows; nothing was computed."""


for _class in (Error, InvalidProblem, InvalidOption, WrongType, IoError, MissingFeature, MemoryLimit):
    _class.__module__ = "cornet"
