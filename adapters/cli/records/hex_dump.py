"""Bytes as users can read them: text if they are text, else a hex dump, or escapes on one line."""

_BYTES_PER_LINE = 16


def text_or_dump(data: bytes | None, limit: int | None = None) -> str:
    """Return bytes as UTF-8 text, or else as a hex dump on lines of its own.

    Args:
        data: The bytes; None is shown as `null`.
        limit: The number of bytes to show at most, followed by the number of bytes left out.
    """
    if data is None:
        return "null"
    if not data:
        return "empty"
    shown = data if limit is None or len(data) <= limit else data[:limit]
    text = _text(shown, cut=len(shown) < len(data))
    readable = hex_dump(shown) if text is None else text
    if len(shown) == len(data):
        return readable
    return f"{readable}\n… {len(data) - len(shown):,} more of {len(data):,} bytes (--full)"


def text_or_escapes(data: bytes) -> str:
    """Return bytes as UTF-8 text, or else as a bytes literal of Python, for one line among others."""
    text = _text(data, cut=False)
    return repr(data) if text is None else text


def hex_dump(data: bytes) -> str:
    """Return a line for every 16 bytes: the offset of the first, their values, and those that are printable ASCII."""
    lines = [""]
    for start in range(0, len(data), _BYTES_PER_LINE):
        part = data[start : start + _BYTES_PER_LINE]
        characters = "".join(chr(byte) if 0x20 <= byte < 0x7F else "." for byte in part)  # noqa: PLR2004 - printable ASCII
        lines.append(f"  {start:08x}  {part.hex(' '):<{3 * _BYTES_PER_LINE - 1}}  {characters}")
    return "\n".join(lines)


def _text(data: bytes, *, cut: bool) -> str | None:
    """Return the text if all of it is printable; a character that is incomplete because of the `cut` is left out."""
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        if not (cut and error.reason == "unexpected end of data"):
            return None
        text = data[: error.start].decode()
    return text if all(character.isprintable() or character in "\n\t\r" for character in text) else None
