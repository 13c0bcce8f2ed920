"""Print the names of the mutants of modules: run in a workspace of mutmut, `python tests/mutation/mutant_names.py PATH...`."""

import sys
from pathlib import Path

from mutmut.mutation.file_mutation import mutate_file_contents
from mutmut.utils.format_utils import get_mutant_name

for path in map(Path, sys.argv[1:]):
    mutated = mutate_file_contents(str(path), path.read_text(), None, set())
    print(*(get_mutant_name(path, name) for name in mutated.mutant_names), sep="\n")
