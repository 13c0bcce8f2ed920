"""A flow whose adder changes the list that it gets; Spark's workers import it."""

from eddyline import Flow, TopologyBuilder


def _appended(items: list[str], item: str) -> list[str]:
    items.append(item)
    return items


def _by_size(builder: TopologyBuilder) -> None:
    carts = builder.stream("items", key=str, value=str).group_by_key().aggregate(list, _appended, value=list[str], store="carts")
    sizes = carts.group_by(lambda _cart, items: (len(items), 1), key=int, value=int, name="by-size").count(store="sizes")
    sizes.to_stream(lambda size, _count: str(size)).to("sizes")


CARTS_BY_SIZE = Flow("carts-by-size", "Counts carts by size.", _by_size)
