"""The composition root: the settings choose the adapters, and everything else knows ports alone."""

from dependency_injector.providers import Callable, Factory, List, Object, Selector, Singleton

from eddyline.adapters.console.notifier import ConsoleNotifier
from eddyline.adapters.local.resettable_state import LocalResettableState
from eddyline.adapters.market.daily_prices import TICKERS, daily_prices
from eddyline.adapters.memory.engine import MemoryEngine
from eddyline.adapters.memory.run import MemoryRun
from eddyline.adapters.memory.state_store import MemoryStateStores
from eddyline.adapters.program_logs.lines import log_events
from eddyline.adapters.services.supervisor import Supervisor
from eddyline.adapters.system.clock import SystemClock
from eddyline.adapters.wiring import alerts, engines, local, page, queries, spark, tracing, web
from eddyline.adapters.wiring.asyncapi import AsyncApi
from eddyline.adapters.wiring.codecs import RecordCodecs, topic_codecs
from eddyline.adapters.wiring.kafka import KafkaTools
from eddyline.adapters.wiring.lineage import lineage
from eddyline.adapters.wiring.logs import LogContainer
from eddyline.adapters.wiring.runs import run_options
from eddyline.adapters.wiring.state import state_stores
from eddyline.adapters.wiring.topic_tools import FileTools, MemoryTools
from eddyline.application.monitoring.run_monitor import RunMonitor
from eddyline.application.operations.dead_letter_service import DeadLetterService
from eddyline.application.runtime.plan.options import RunPorts
from eddyline.application.runtime.progress.store_changes import StoreChanges
from eddyline.application.runtime.task.creation import task_plan


class Container(LogContainer):
    """Provides what the settings choose, each thing once: `Container(settings=Settings.load()).log()`."""

    settings = LogContainer.settings
    clock = Singleton(SystemClock)
    codecs = Singleton(topic_codecs, settings)
    stores = Singleton(state_stores, settings, codecs)

    ports = Factory(RunPorts, log=LogContainer.log, sink=LogContainer.sink, codecs=codecs, stores=stores)
    options = Callable(run_options, settings)
    spark_engine = Factory(spark.spark_engine, ports=ports, spark_config=Callable(spark.spark_config, settings))
    check_spark = Callable(spark.check_spark)
    let_workers_log = Callable(spark.let_workers_log)
    start_spark_in_background = Callable(spark.start_spark_in_background, settings)
    checkpoint_location = Callable(spark.checkpoint_location, settings=settings)
    has_checkpoint = Callable(spark.has_checkpoint)
    export_state = Callable(spark.export_state, settings=settings)
    import_state = Callable(spark.import_state)
    replace_state = Callable(spark.replace_state)
    cluster_warnings = Callable(spark.cluster_warnings, settings)
    create_package = Callable(spark.create_package)
    create_class_archive = Callable(spark.create_class_archive)
    class_archive_file = Callable(spark.class_archive_file)
    archive_in_background = Callable(spark.archive_in_background, settings)
    explain_on_spark = Callable(spark.explain_on_spark)
    task_plan = Callable(task_plan, stores=Factory(MemoryStateStores))
    local_engine = Callable(local.local_engine, settings, LogContainer.kafka_settings.provider, ports=ports, clock=clock)
    local_folders = Singleton(LocalResettableState, Callable(local.local_folder, settings))
    local_state = Callable(local.local_state, settings, LogContainer.kafka_settings.provider, ports=ports)
    memory_run = Factory(MemoryRun, ports=ports, clock=clock)
    engine = Selector(
        settings.provided.engine,
        spark=Callable(engines.open_spark, settings, spark_engine.provider, cluster_warnings),
        local=Callable(engines.open_local, local_engine.provider),
        memory=Callable(engines.open_memory, memory_run.provider),
    )
    memory_engine = Factory(MemoryEngine, codecs=codecs)
    lineage = Factory(lineage, settings, ports, clock)
    store_changes = Factory(StoreChanges)
    changelog_follower = Factory(queries.follower, settings, LogContainer.log, codecs)
    shared_address = Callable(queries.shared_address, settings)
    state_queries = Factory(queries.state_queries, LogContainer.log)

    run_tracer = Callable(tracing.run_tracer, settings)
    run_monitor = Factory(RunMonitor, log=LogContainer.log, clock=clock)

    dead_letters = Factory(DeadLetterService, LogContainer.log, LogContainer.sink, clock)

    server_options = Callable(web.server_options, settings)
    query_server = Callable(web.query_server, settings)
    query_client = Callable(web.query_client, settings)
    page_flows = Singleton(page.PageFlows, LogContainer.log, codecs, clock)
    page_app = Callable(page.page_app)

    mail = Singleton(alerts.smtp_notifier, settings)
    notifier = Selector(settings.provided.notifier, console=Singleton(ConsoleNotifier), smtp=mail)
    sent_alerts = Factory(alerts.sent_alerts, settings)
    flow_alerts = Callable(alerts.flow_alerts, settings, LogContainer.log, codecs, notifier.provider, mail.provider)
    checkpoints = Singleton(spark.checkpoints, settings)
    resettable_state = List(
        checkpoints,
        local_folders,
        LogContainer.log_state,
        Singleton(alerts.sent_alerts_state, settings),
        Singleton(queries.read_models_state, settings),
    )

    kafka_tools = Singleton(KafkaTools, LogContainer.kafka_settings)
    topic_tools = Selector(
        settings.provided.log,
        files=Singleton(FileTools, LogContainer.topics_dir),
        memory=Singleton(MemoryTools, LogContainer.memory_log),
        kafka=kafka_tools,
    )
    asyncapi = Singleton(AsyncApi, settings)
    record_codecs = Singleton(RecordCodecs, settings)
    log_events = Callable(log_events)
    services = Factory(Supervisor)
    tickers = Object(TICKERS)
    daily_prices = Callable(daily_prices)
