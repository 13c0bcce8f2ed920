"""Log events of programs in topics, as the flow log-triage reads them."""

import logging
import logging.config
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from eddyline import Consumer, ConsumerRecord
from eddyline.adapters.python import log_handler, producer
from eddyline.domain.operations import LogEvent
from eddyline.logging import TopicHandler
from eddyline.testing import MemoryEventLog


@pytest.fixture
def log() -> MemoryEventLog:
    log = MemoryEventLog()
    log.create_topic("logs", 1)
    return log


@pytest.fixture
def logger() -> Iterator[logging.Logger]:
    logger = logging.getLogger("shop.orders")
    logger.setLevel(logging.DEBUG)
    yield logger
    for handler in list(logger.handlers):
        logger.removeHandler(handler)
        handler.close()


def events(log: Any) -> list[ConsumerRecord[str, LogEvent]]:
    given = {"log": log} if isinstance(log, MemoryEventLog) else {"log": "files", "data_dir": log}
    with Consumer("logs", value=LogEvent, **given) as consumer:
        return consumer.poll(0.5)


def test_records_become_events_of_log_triage_with_the_logger_as_their_key(log: MemoryEventLog, logger: logging.Logger) -> None:
    handler = TopicHandler("logs", service="shop", log=log)
    logger.addHandler(handler)
    logger.warning("%d items are left", 3)
    try:
        float("no price")
    except ValueError:
        logger.exception("order failed")
    logger.critical("down")
    handler.flush()
    first, second, third = events(log)
    assert first.value == LogEvent("WARN", "3 items are left", "shop", "shop.orders", threading.current_thread().name)
    assert first.key == "shop.orders"
    assert abs(first.timestamp - time.time() * 1_000) < 60_000
    assert second.value is not None
    assert second.value.severity == "ERROR"
    assert second.value.message.startswith("order failed\nTraceback")
    assert second.value.message.endswith("could not convert string to float: 'no price'")
    assert third.value is not None
    assert third.value.severity == "FATAL"


@pytest.mark.parametrize(("key", "expected"), [("thread", threading.current_thread().name), ("none", None)])
def test_the_key_is_chosen(log: MemoryEventLog, logger: logging.Logger, key: Any, expected: str | None) -> None:
    handler = TopicHandler("logs", key=key, log=log)
    logger.addHandler(handler)
    logger.info("x")
    handler.flush()
    assert [event.key for event in events(log)] == [expected]


def test_a_full_queue_drops_records_counts_them_and_says_so_afterwards(
    log: MemoryEventLog, logger: logging.Logger, monkeypatch: pytest.MonkeyPatch
) -> None:
    connected, real = threading.Event(), producer.Producer

    def slow(*arguments: Any, **given: Any) -> Any:
        connected.wait(30)
        return real(*arguments, **given)

    monkeypatch.setattr(producer, "Producer", slow)
    handler = TopicHandler("logs", queue_size=2, max_block_ms=20, log=log)
    logger.addHandler(handler)
    began = time.monotonic()
    for number in range(5):
        logger.info("%d", number)
    assert 0.06 <= time.monotonic() - began < 10
    assert handler.dropped == 3
    connected.set()
    handler.flush()
    messages = [event.value.message for event in events(log) if event.value is not None]
    assert [each for each in messages if each.isdigit()] == ["0", "1"]
    assert [each.partition(" log events")[0] for each in messages if not each.isdigit()] == ["3"]


def test_a_topic_that_is_not_there_delays_nothing_and_is_reported_once(
    log: MemoryEventLog, logger: logging.Logger, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log_handler, "_RETRY_S", 0.01)
    handler = TopicHandler("missing", flush_timeout_ms=50, log=log)
    logger.addHandler(handler)
    logger.info("x")
    handler.close()
    lines = capsys.readouterr().err.splitlines()
    assert lines[0].startswith("log events cannot be written to topic 'missing': topic 'missing' is unknown")
    assert lines[1:] == ["1 log events were not written to topic 'missing'"]


def test_what_the_client_logs_itself_is_never_written(log: MemoryEventLog) -> None:
    handler = TopicHandler("logs", log=log)
    root = logging.getLogger()
    root.addHandler(handler)
    try:
        logging.getLogger("eddyline.kafka").warning("a broker is away")
        logging.getLogger("eddyline").warning("x")
        handler.flush()
    finally:
        root.removeHandler(handler)
        handler.close()
    assert events(log) == []


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"key": "host"}, "key of the handler of topic 'logs' is 'host'; choose one of: thread, logger, none"),
        ({"max_block_ms": -1}, "max_block_ms of the handler of topic 'logs' is -1; pass 0 or more"),
        ({"queue_size": 0}, "queue_size of the handler of topic 'logs' is 0; pass 1 or more"),
    ],
)
def test_invalid_choices_are_refused(given: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        TopicHandler("logs", **given)


def test_a_program_configures_it_by_a_dictionary_and_loses_nothing_at_its_end(tmp_path: Path) -> None:
    program = """
import logging.config
logging.config.dictConfig({
    "version": 1,
    "handlers": {"topic": {"class": "eddyline.logging.TopicHandler", "topic": "logs", "key": "logger", "level": "INFO",
                           "log": "files", "data_dir": DATA, "create_topics": True, "settings": {"num.partitions": 1}}},
    "root": {"handlers": ["topic"], "level": "DEBUG"},
})
for number in range(100):
    logging.getLogger("job").info("%d", number)
logging.getLogger("job").debug("not this")
"""
    done = subprocess.run(
        [sys.executable, "-c", program.replace("DATA", repr(str(tmp_path)))],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert [event.value.message for event in events(tmp_path) if event.value is not None] == [str(n) for n in range(100)]


@pytest.mark.parametrize("name", [None, 7])
def test_a_record_that_is_broken_is_dropped_and_raises_nothing(
    log: MemoryEventLog, monkeypatch: pytest.MonkeyPatch, name: Any
) -> None:
    class Odd:
        def __str__(self) -> str:
            raise ArithmeticError

        __repr__ = __str__

    monkeypatch.setattr(logging, "raiseExceptions", False)
    handler = TopicHandler("logs", log=log)
    handler.handle(logging.makeLogRecord({"name": name, "msg": "x"}))
    handler.handle(logging.makeLogRecord({"name": "shop", "msg": Odd()}))
    handler.handle(logging.makeLogRecord({"name": "shop", "msg": "%d", "args": ("no number",)}))
    assert handler.dropped == 3
    handler.close()


def test_surrogates_are_escaped(log: MemoryEventLog) -> None:
    handler = TopicHandler("logs", log=log)
    handler.handle(logging.makeLogRecord({"name": "shop", "msg": "file \udc80\x1b[1m\r"}))
    handler.close()
    (event,) = events(log)
    assert event.value is not None
    assert event.value.message == "file \\udc80\x1b[1m\r"
    assert handler.dropped == 0


def test_the_queue_has_a_limit_in_bytes(log: MemoryEventLog) -> None:
    handler = TopicHandler("missing", flush_timeout_ms=0, log=log)
    for _ in range(40):
        handler.handle(logging.makeLogRecord({"name": "shop", "msg": "x" * 1_000_000}))
    assert handler.dropped == 8
    handler.close()


def test_a_signal_handler_may_log_while_its_thread_logs(
    logger: logging.Logger, log: MemoryEventLog, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Interrupted(int):
        """A limit that is compared while the handler has its lock."""

        def __lt__(self, other: int) -> bool:
            monkeypatch.setattr(log_handler, "_MAX_BYTES", int(self))
            logger.warning("interrupted")
            return False

    handler = TopicHandler("missing", flush_timeout_ms=0, log=log)
    logger.addHandler(handler)
    logger.info("first")
    monkeypatch.setattr(log_handler, "_MAX_BYTES", Interrupted(1_000_000))
    logger.info("second")
    handler.close()
    assert "3 log events were not written to topic 'missing'" in capsys.readouterr().err


def test_a_forked_process_writes_its_own_events(tmp_path: Path) -> None:
    (tmp_path / "topics" / "logs").mkdir(parents=True)
    (tmp_path / "topics" / "logs" / "partition-0.jsonl").touch()
    program = f"""
import logging, multiprocessing, eddyline
from eddyline.logging import TopicHandler

logging.basicConfig(level="INFO", handlers=[TopicHandler("logs", log="files", data_dir={str(tmp_path)!r})])
producer = eddyline.Producer("logs", log="files", data_dir={str(tmp_path)!r})
consumer = eddyline.Consumer("logs", log="files", data_dir={str(tmp_path)!r})

def work(number):
    logging.getLogger("child").info("in child %d", number)
    for use in (lambda: producer.send("x"), producer.flush, consumer.poll):
        try:
            use()
        except RuntimeError as refused:
            assert "created before this process was forked" in str(refused)
        else:
            raise AssertionError
    producer.close()

if __name__ == "__main__":
    logging.getLogger("parent").info("before")
    children = [multiprocessing.get_context("fork").Process(target=work, args=(number,)) for number in range(2)]
    for child in children:
        child.start()
    for child in children:
        child.join()
        assert child.exitcode == 0
    logging.getLogger("parent").info("after")
    producer.close()
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")
    messages = {event.value.message.rpartition(":")[2] for event in events(tmp_path) if event.value is not None}
    assert messages == {"before", "in child 0", "in child 1", "after"}
