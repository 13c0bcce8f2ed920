"""A simulated cluster: the real planner, tasks, state and sink in one process, under a scheduler that decides by a seed.

`python -m tests.simulation --schedules 10000` runs schedules, and `--seed N` runs one of them again, exactly, with a trace.

**What is real**: the planning of batches (`batch_planner.py`, `datasource.py`), tasks and their caches in workers
(`task_server.py`, `cache.py`), the state as a log of chunks (`chunks.py`), the slots with results, dead letters and changelogs
(`results.py`), the event sink and the event log on Kafka down to the calls of confluent-kafka, the committed offsets of the
consumer group (`progress.py`), the follower of the changelogs, and the redrive of dead letters.

**What is simulated**: the clients of confluent-kafka (`clients.py`), the network (`network.py`) and the brokers (`broker.py`);
of Spark its checkpoint, the versions of its state store, and a driver that runs attempts of tasks on workers (`spark.py`);
processes, threads and clocks (`scheduler.py`).

**What goes wrong** (`schedule.py`): workers, drivers, readers and redrivers die at any request or at any time, or pause and
come back with old copies; attempts are given up and continue as zombies, run twice at once, or run again because their output
is lost; another driver starts while the first one only pauses; a batch is planned again if the checkpoint lost it; requests and
answers are lost, late, repeated or never answered; calls of clients hang; coordinators move, markers of transactions are slow,
transactions expire; clocks jump.

**What must hold** (`checks.py`): each result and each dead letter is in its topic once, in the order of an undisturbed run; a
reader of the changelogs sees the state of some batch, with its time and offsets; the consumer group has offsets of completed
batches only; each dead letter was redriven once; and the run ends.

**What is not simulated**: requests that end a transaction, or store its offsets, and arrive when the next one of the same
producer is open: without an epoch per transaction (the second part of KIP-890), Kafka takes them for requests of that one; the
loss of acknowledged records by brokers, compaction and retention, changes of topics, leaders of partitions, wall-clock
punctuation, joins, the server processes of tasks (their handlers run in the worker), Spark's own exchange of rows, tasks that
change their state without anything to write (all others have begun to write before a worker keeps a copy of the state, so the
tokens of chunks make no difference here), and code of librdkafka.
"""
