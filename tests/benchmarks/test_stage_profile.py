"""Stacks of py-spy are attributed to the stages of a record's way."""

import subprocess
import sys

import pytest

from benchmarks.stage_profile.__main__ import seconds_by_stage
from benchmarks.stage_profile.stages import CLIENT, ORDER, OTHER, RULES, samples_in, stage_of, stage_of_thread
from benchmarks.stage_profile.threads import ThreadTime, ThreadTimes

_PROCESS = 'process 7:"python -m benchmarks.suite.eddyline_program stock-stats";process 8:"java -cp a;b"'
_TASK = (
    "thread (9): MainThread;_serve (eddyline/adapters/spark/worker/server_process.py:137);"
    "HostedTask.run (eddyline/adapters/spark/worker/hosted_task.py:61);"
    "TaskHost.run (eddyline/application/runtime/task/host.py:72)"
)
_DECODE = (
    "TaskQueues._of_range (eddyline/application/runtime/task/queues.py:118);"
    "TypedJsonCodec.decode_all (eddyline/adapters/json/typed.py:99);"
    "JSONDecoder_decode_lines (msgspec/_core.cpython-311-x86_64-linux-gnu.so)"
)
_FETCH = (
    "PartitionReader._fetch (eddyline/adapters/kafka/log/partition_reader.py:60);rd_kafka_consume_batch_queue (librdkafka.so.1)"
)
_OPERATOR = "folding.<locals>.fold_all (eddyline/application/operators/fold_by_pane.py:91)"
_FOLD = f"{_OPERATOR};TradeStats.aggregate (eddyline/domain/trading/trade_stats.py:42);PyObject_RichCompare (libpython.so)"
_SINK = "RecordSender._send_each (eddyline/adapters/kafka/sink/record_sender.py:110);Producer_produce (confluent_kafka/cimpl.so)"
_ENCODE = (
    "RecordSender._send_columns (eddyline/adapters/kafka/sink/record_sender.py:90);"
    "Lines._split (eddyline/adapters/json/lines.py:20);bytes_split (libpython3.11.so.1.0)"
)


@pytest.mark.parametrize(
    ("stack", "stage"),
    [
        (_DECODE, "decode"),
        (_FETCH, "fetch"),
        (_OPERATOR, "task (operators and stores)"),
        (_FOLD, "fold (functions of the user)"),
        (f"{_FOLD};gc_collect_main (libpython3.11.so.1.0)", "garbage collection"),
        (_SINK, "sink"),
        (_ENCODE, "encode"),
        ("unicode_dealloc (libpython3.11.so.1.0)", "task (operators and stores)"),
    ],
)
def test_a_stack_belongs_to_the_innermost_stage_of_its_frames(stack: str, stage: str) -> None:
    (sample,) = samples_in([f"{_PROCESS};{_TASK};{stack} 3\n"])
    assert (sample.thread, sample.times) == (9, 3)
    assert stage_of(sample.frames) == stage


def test_a_stack_of_unknown_modules_is_named_so() -> None:
    assert stage_of(["<module> (<frozen runpy>:173)", "0x7fda5704524a (libc.so.6)"]) == OTHER


def test_threads_that_wait_do_not_count() -> None:
    waiting = f"{_PROCESS};{_TASK};Connection._recv (multiprocessing/connection.py:390);read (libc.so.6) 50"
    assert list(samples_in([waiting])) == []


def test_the_time_of_a_thread_is_divided_as_its_samples_are() -> None:
    samples = list(samples_in([f"{_PROCESS};{_TASK};{_DECODE} 1", f"{_PROCESS};{_TASK};{_FOLD} 3"]))
    threads = {
        9: ThreadTime("python", java=False, seconds=4.0),
        10: ThreadTime("rdk:broker1", java=False, seconds=0.5),
        11: ThreadTime("C2 CompilerThre", java=True, seconds=0.25),
        12: ThreadTime("python", java=False, seconds=0.125),
    }
    assert seconds_by_stage(threads, samples) == {
        "decode": 1.0,
        "fold (functions of the user)": 3.0,
        CLIENT: 0.5,
        "Java: compilers": 0.25,
        OTHER: 0.125,
    }


def test_the_table_has_every_stage() -> None:
    threads = {
        stage_of_thread(name, java=True)
        for name in ("Executor task l", "G1 Conc#0", "Thread-3", "stateConnection", "rpc-boss-3-1")
    }
    assert {*threads, CLIENT, OTHER, *(rule.stage for rule in RULES)} <= set(ORDER)


_WORKER = """
import threading, time

def work():
    while time.thread_time() < 0.3:
        sum(range(1_000))

def write(line):
    print(line, flush=True)
    input()

write("ready")
threading.Thread(target=lambda: (work(), write("done"))).start()
"""
"""A process that works in a thread, and only waits before and after that, while its times are read."""


def test_the_time_of_threads_is_what_they_have_used() -> None:
    with subprocess.Popen([sys.executable, "-c", _WORKER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        times = ThreadTimes(process.pid)
        for line, count in (("ready\n", times.begin), ("done\n", times.end)):
            assert process.stdout.readline() == line
            count()
            process.stdin.write("\n")
            process.stdin.flush()
    total = sum(found.seconds for found in times.used().values())
    assert total >= 0.3
    assert times.by_processes == pytest.approx(total, abs=0.1)
