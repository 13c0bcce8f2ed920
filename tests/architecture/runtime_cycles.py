"""An import contract against import cycles at run time; the modules of a fluent API may import each other for type hints."""

import grimp
from grimp import ImportGraph
from importlinter.contracts.acyclic_siblings import AcyclicSiblingsContract
from importlinter.domain.contract import ContractCheck


class RuntimeCyclesContract(AcyclicSiblingsContract):
    """As `acyclic_siblings`, with imports under TYPE_CHECKING left out."""

    type_name = "runtime_cycles"

    def check(self, graph: ImportGraph, verbose: bool) -> ContractCheck:
        """Check the imports that are made when the program runs."""
        del graph
        at_run_time = grimp.build_graph(
            *self.session_options["root_packages"], exclude_type_checking_imports=True, cache_dir=None
        )
        return super().check(at_run_time, verbose)
