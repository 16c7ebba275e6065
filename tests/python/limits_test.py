"""The memory limit of a solve: refused before it starts, with an exception of its own that is a MemoryError as well."""
import cornet
import pytest


def test_memory_limit():
    problem = cornet.samples()["box-stack-8"]
    with pytest.raises(cornet.MemoryLimit, match="memory limit") as caught:
        cornet.solve(problem, memory_limit=1000)
    assert isinstance(caught.value, (cornet.Error, MemoryError))
    assert cornet.solve(problem, memory_limit=1e9).solved
    with pytest.raises(cornet.MemoryLimit):
        cornet.Session(memory_limit=1000).solve(problem)


@pytest.mark.parametrize("value, error", [(0, cornet.InvalidOption), (-1, cornet.InvalidOption), ("1GB", cornet.WrongType)])
def test_limits_that_are_none(value, error):
    with pytest.raises(error, match="memory_limit"):
        cornet.solve(cornet.samples()["box-stack-8"], memory_limit=value)
