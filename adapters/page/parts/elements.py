"""Plain HTML elements with text, which NiceGUI updates in the browser."""

from typing import Any, TypeVar

from nicegui import ui
from nicegui.elements.mixins.text_element import TextElement

E = TypeVar("E", bound=ui.element)


def box(tag: str, classes: str = "", **attributes: Any) -> ui.element:
    """Return an element for other elements; use it as a context manager."""
    return _with(ui.element(tag), classes, attributes)


def text(tag: str, content: str, classes: str = "", **attributes: Any) -> TextElement:
    """Return an element with text; its `text` can be changed."""
    return _with(TextElement(tag=tag, text=content), classes, attributes)


def field(name: str, value: str, kind: str = "search", **attributes: Any) -> ui.element:
    """Return a field of a form, which begins with a value; what is typed stays when the page changes.

    Vue sets the property `value` again whenever it renders anything; a name with `^` lets it set the attribute, which browsers
    take for the initial value: https://vuejs.org/api/render-function.html#h.
    """
    return box("input", id=name, name=name, type=kind, autocomplete="off", **{"^value": value}, **attributes)


def link(content: str, href: str, classes: str = "", **attributes: Any) -> TextElement:
    """Return a link."""
    return text("a", content, classes, href=href, **attributes)


def notice(content: str, tone: str = "info", role: str | None = None) -> TextElement:
    """Return a paragraph that stands out."""
    return text("p", content, f"notice {tone}", **({"role": role} if role else {}))


def set_text(element: TextElement, content: str) -> None:
    """Change the text of an element, if it is another one."""
    if element.text != content:
        element.set_text(content)


def set_attributes(element: ui.element, **attributes: Any) -> None:
    """Change attributes of an element; names have underscores for hyphens, and None removes one."""
    changed = False
    for name, value in attributes.items():
        key = name.rstrip("_").replace("_", "-")
        if element.props.get(key) != value:
            changed = True
            if value is None:
                element.props.pop(key, None)
            else:
                element.props[key] = value
    if changed:
        element.update()


def _with(element: E, classes: str, attributes: dict[str, Any]) -> E:
    if classes:
        element.classes(classes)
    for name, value in attributes.items():
        if value is not None:
            element.props[name.rstrip("_").replace("_", "-")] = value
    return element
