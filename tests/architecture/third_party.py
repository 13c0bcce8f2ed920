"""An import contract that refuses every third-party library but those that a place is allowed by name."""

import sys
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from grimp import ImportGraph
from importlinter.application import output
from importlinter.domain import fields
from importlinter.domain.contract import Contract, ContractCheck, InvalidContractOptions


class Violation(NamedTuple):
    """One import of a third-party library where it is not allowed."""

    importer: str
    library: str
    line: int


class ThirdPartyContract(Contract):
    """Option `allowed`: lines of `place: library, library`; a place is a module or a package, with all that is in it.

    A library that no line names is refused everywhere; a place in which none of its libraries is imported is kept.
    """

    type_name = "third_party"

    allowed = fields.ListField(subfield=fields.StringField())

    def validate(self) -> None:
        """Refuses a line without a colon, and a graph that leaves third-party libraries out."""
        malformed = [line for line in self._lines() if not all(part.strip() for part in line.partition(":"))]
        if malformed:
            raise InvalidContractOptions({"allowed": f"expected 'place: library, library', found {malformed[0]!r}"})
        if not self.session_options.get("include_external_packages"):
            raise InvalidContractOptions({"allowed": "needs include_external_packages = true at the top level"})

    def check(self, graph: ImportGraph, verbose: bool) -> ContractCheck:  # noqa: ARG002 - import-linter's signature
        """All violations, sorted, under `violations` in the metadata."""
        violations = sorted(self._violations(graph))
        return ContractCheck(kept=not violations, metadata={"violations": violations})

    def render_broken_contract(self, check: ContractCheck) -> None:
        """Prints a line a violation, with the places that may import the library."""
        for importer, library, line in check.metadata["violations"]:
            places = ", ".join(place for place, libraries in self._rules().items() if library in libraries) or "no place"
            output.print_error(f"{importer} (l.{line}) imports {library}; allowed in: {places}", bold=False)
        output.new_line()

    def _lines(self) -> list[str]:
        lines: Any = self.allowed
        return list(lines)

    def _rules(self) -> Mapping[str, frozenset[str]]:
        split = (line.partition(":") for line in self._lines())
        return {place.strip(): frozenset(name.strip() for name in names.split(",")) for place, _, names in split}

    def _violations(self, graph: ImportGraph) -> Iterator[Violation]:
        rules = self._rules()
        roots = self.session_options["root_packages"]
        for module in graph.modules:
            library = module.partition(".")[0]
            if library in roots or library in sys.stdlib_module_names:
                continue
            for importer in graph.find_modules_that_directly_import(module):
                if not any(library in libraries and f"{importer}.".startswith(f"{place}.") for place, libraries in rules.items()):
                    details = graph.get_import_details(importer=importer, imported=module)
                    yield Violation(importer, library, min(detail["line_number"] for detail in details))
