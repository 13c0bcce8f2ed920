"""The long proof: `python -m tests.adapters.spark.chaos [--kills N] [--seed N] [--folder FOLDER]`.

Stock statistics run from Kafka to Kafka in three ways at once: every update exactly once, the latest updates exactly once, every
update at least once. The driver is killed again and again, and in the middle the broker is restarted under it. Then the results
are held against those of an undisturbed run. Ends with 1, and leaves the folder behind, when something is wrong.
"""

import argparse
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import Final

from eddyline.adapters.kafka.settings import KafkaSettings
from eddyline.adapters.services.artifacts import Artifacts
from eddyline.adapters.services.broker import Broker
from tests.adapters.spark.kafka_flows import WAYS, append, faults, results, undisturbed
from tests.adapters.spark.kafka_kills import ROOT, Killer, finish
from tests.adapters.spark.running import trades

_A_DRIVER: Final = 1_000
_SHOWN: Final = 10
_NOTHING_HAPPENS_S: Final = 300.0
_FINISH_S: Final = 1_200.0


def run(broker: Broker, folder: Path, kills: int, seed: int) -> bool:
    """Runs all; prints what it does and the verdict, which it returns."""
    settings = KafkaSettings({"bootstrap.servers": broker.bootstrap_servers})
    given = trades(_A_DRIVER * (kills + 1), seed=seed)
    killer = Killer(settings, folder / "run", seed=seed, timeout_s=_NOTHING_HAPPENS_S)
    began = time.monotonic()

    def restart() -> None:
        _say(began, "the broker is stopped and started again")
        broker.stop()
        broker.start()

    for number in range(kills):
        append(settings, given[number * _A_DRIVER : (number + 1) * _A_DRIVER])
        moment = killer.kill_one(restart if number == kills // 2 else None)
        _say(began, f"kill {number + 1} of {kills}: {moment}")
    killer.close()
    append(settings, given[kills * _A_DRIVER :])
    finish(settings, folder / "run", _FINISH_S)
    _say(began, "a driver has done what was left")

    expected = undisturbed(given)
    updates = sum(map(len, expected.values()))
    wrong = False
    for way in WAYS:
        found = results(settings, way.topic)
        lines = faults(way, found, expected)
        wrong = wrong or bool(lines)
        _say(began, f"{way.topic}: {len(found):,} records, {len(lines)} keys of {len(expected)} at fault")
        sys.stdout.writelines(f"    {line}\n" for line in lines[:_SHOWN])
    verdict = "something was lost or doubled" if wrong else "nothing was lost, nothing came twice that must come once"
    _say(began, f"{len(given):,} trades, {updates:,} updates, {kills} kills, one restart of the broker: {verdict}")
    return not wrong


def main() -> None:
    """Starts a broker of its own and runs all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=25)
    parser.add_argument("--seed", type=int, default=time.time_ns() % 1_000_000)
    parser.add_argument("--folder", type=Path)
    options = parser.parse_args()
    folder = options.folder or Path(tempfile.mkdtemp(prefix="eddyline-chaos-"))
    sys.stdout.write(f"seed {options.seed}, folder {folder}\n")
    broker = Broker(Artifacts(ROOT / ".services" / "parts"), folder / "broker")
    broker.start()
    try:
        well = run(broker, folder, options.kills, options.seed)
    finally:
        broker.kill()
    if well:
        shutil.rmtree(folder)
    sys.exit(0 if well else 1)


def _say(began: float, text: str) -> None:
    sys.stdout.write(f"{time.monotonic() - began:7.1f} s  {text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
