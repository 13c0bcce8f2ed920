"""A flow whose processor collects records until a commit, and notes how it is called."""

from pathlib import Path

from eddyline import Flow, Processor, ProcessorContext, Record, TopologyBuilder


class _Collecting(Processor[str, str, str, str]):
    """Forwards at each commit what it has collected, and appends a letter for each call to a file."""

    def __init__(self, calls: str) -> None:
        self._calls = calls
        self._collected: list[Record[str, str]] = []

    def init(self, context: ProcessorContext[str, str]) -> None:
        super().init(context)
        self._note("i")

    def process(self, record: Record[str, str]) -> None:
        self._note("p")
        self._collected.append(record)

    def on_commit(self) -> None:
        self._note("c")
        for record in self._collected:
            self.context.forward(record)
        self._collected.clear()

    def close(self) -> None:
        self._note("x")

    def _note(self, call: str) -> None:
        with Path(self._calls).open("a", encoding="ascii") as file:
            file.write(call)


def collect(builder: TopologyBuilder, *, calls: str = "calls") -> None:
    builder.stream("orders", key=str, value=str).process(lambda: _Collecting(calls), key=str, value=str).to("sent")


COLLECTING = Flow("collecting", "Sends orders at each commit.", collect)
