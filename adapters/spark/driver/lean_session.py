"""Spares a new session what libraries of Spark add to each one, and what takes longer than the rest of it.

It sets what no setting of Spark sets. Where another version of Spark has other names, the session is an ordinary one.
"""

import pkgutil
from contextlib import suppress
from typing import Any, Final

from py4j.protocol import Py4JError
from pyspark import SparkContext

_EXTENSIONS: Final = "META-INF/services/org.apache.spark.sql.SparkSessionExtensionsProvider"
_OF_SETTING: Final = "spark.sql.extensions"


def skip_discovery(context: SparkContext) -> None:
    """Tell Spark that no data sources written in Python are installed, if that is so.

    Otherwise it starts two Python processes before it registers the first data source, which import all packages called
    `pyspark_...` and register the class `DefaultSource` of each:
    https://spark.apache.org/docs/latest/api/python/tutorial/sql/python_data_source.html
    """
    if any(module.name.startswith("pyspark_") for module in pkgutil.iter_modules()):
        return
    java: Any = context._jvm  # noqa: SLF001 - the only way to Spark's objects
    with suppress(Py4JError, TypeError):
        manager = getattr(getattr(java.org.apache.spark.sql.execution.datasources, "DataSourceManager$"), "MODULE$")
        if manager.dataSourceBuilders().isEmpty():
            getattr(manager, "dataSourceBuilders_$eq")(java.scala.Option.apply(java.PythonUtils.toScalaMap({})))


def create_java_session(context: SparkContext) -> None:
    """Create the session in Java without the functions of `pyspark.ml`, which spark-mllib registers by a second of reflection.

    Spark asks all libraries that extend sessions, and finds them through the class loader of the thread. That one is without
    libraries meanwhile if spark-mllib is the only one that extends sessions, and no setting names others; else this does nothing.
    """
    if context.getConf().get(_OF_SETTING) is not None:
        return
    gateway: Any = context._gateway  # noqa: SLF001 - the only way to Spark's objects
    java: Any = gateway.jvm
    with suppress(Py4JError, TypeError):
        thread = java.Thread.currentThread()
        loader = thread.getContextClassLoader()
        found = loader.getResources(_EXTENSIONS)
        if not found.hasMoreElements() or "spark-mllib_" not in found.nextElement().toString() or found.hasMoreElements():
            return
        session = java.org.apache.spark.sql.classic.SparkSession
        arguments = (context._jsc.sc(), java.java.util.HashMap())  # noqa: SLF001 - likewise
        types = _array(gateway, "java.lang.Class", *(argument.getClass() for argument in arguments))
        constructor = java.java.lang.Class.forName("org.apache.spark.sql.classic.SparkSession").getConstructor(types)
        given = _array(gateway, "java.lang.Object", *arguments)
        thread.setContextClassLoader(java.java.net.URLClassLoader(_array(gateway, "java.net.URL"), None))
        try:
            created = constructor.newInstance(given)  # py4j finds no classes now, but calls methods of objects
        finally:
            thread.setContextClassLoader(loader)
        session.setDefaultSession(created)


def _array(gateway: Any, name: str, *items: Any) -> Any:
    """Return a Java array of the named class."""
    array = gateway.new_array(getattr(gateway.jvm, name), len(items))
    for index, item in enumerate(items):
        array[index] = item
    return array
