from collections import Counter

from eddyline.domain.text import Line
from tests.samples.simulated import SEEDS, last_values, run, simulate


@SEEDS
def test_the_words_of_all_lines_are_counted(seed: int) -> None:
    lines = simulate("word-count", seed=seed)
    assert last_values(run("word-count", lines, partitions=3), "word-counts") == Counter(
        word for line in lines for word in Line(line.value).words()
    )
