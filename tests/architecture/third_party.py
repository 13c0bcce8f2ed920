"""An import contract that refuses third-party libraries except where they are explicitly allowed."""

import sys
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from grimp import ImportGraph
from importlinter.application import output
from importlinter.domain import fields
from importlinter.domain.contract import Contract, ContractCheck, InvalidContractOptions


class Violation(NamedTuple):
    """An import of a third-party library where it is not allowed."""

    importer: str
    library: str
    line: int


class ThirdPartyContract(Contract):
    """Allows each package only the third-party libraries that are listed for it.

    Option `allowed`: lines of `package: library, library`. A line applies to a module, or to a package and everything in it.
    Libraries in no line are refused everywhere. A package need not import the libraries that it is allowed to import.
    """

    type_name = "third_party"

    allowed = fields.ListField(subfield=fields.StringField())

    def validate(self) -> None:
        """Refuse lines without a colon, and a graph without third-party libraries."""
        malformed = [line for line in self._lines() if not all(part.strip() for part in line.partition(":"))]
        if malformed:
            raise InvalidContractOptions({"allowed": f"expected 'package: library, library', found {malformed[0]!r}"})
        if not self.session_options.get("include_external_packages"):
            raise InvalidContractOptions({"allowed": "set include_external_packages = true at the top level"})

    def check(self, graph: ImportGraph, verbose: bool) -> ContractCheck:  # noqa: ARG002 - import-linter's signature
        """Find all violations, sorted, and return them as `violations` in the metadata."""
        violations = sorted(self._violations(graph))
        return ContractCheck(kept=not violations, metadata={"violations": violations})

    def render_broken_contract(self, check: ContractCheck) -> None:
        """Print a line for each violation, with the packages that may import the library."""
        for importer, library, line in check.metadata["violations"]:
            packages = ", ".join(package for package, libraries in self._rules().items() if library in libraries) or "no package"
            output.print_error(f"{importer} (l.{line}) imports {library}; allowed in: {packages}", bold=False)
        output.new_line()

    def _lines(self) -> list[str]:
        lines: Any = self.allowed
        return list(lines)

    def _rules(self) -> Mapping[str, frozenset[str]]:
        split = (line.partition(":") for line in self._lines())
        return {package.strip(): frozenset(name.strip() for name in names.split(",")) for package, _, names in split}

    def _violations(self, graph: ImportGraph) -> Iterator[Violation]:
        rules = self._rules()
        roots = self.session_options["root_packages"]
        for module in graph.modules:
            library = module.partition(".")[0]
            if library in roots or library in sys.stdlib_module_names:
                continue
            for importer in graph.find_modules_that_directly_import(module):
                if not any(library in allowed and f"{importer}.".startswith(f"{package}.") for package, allowed in rules.items()):
                    details = graph.get_import_details(importer=importer, imported=module)
                    yield Violation(importer, library, min(detail["line_number"] for detail in details))
