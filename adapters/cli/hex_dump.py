"""Bytes as a person can read them: text where they are text, else as numbers and characters side by side."""

_WIDTH = 16


def text_or_dump(data: bytes | None, most: int | None = None) -> str:
    """The text in UTF-8, else a hex dump on lines of its own; of more than `most` bytes the beginning, and how many there are."""
    if data is None:
        return "null"
    if not data:
        return "empty"
    shown = data if most is None or len(data) <= most else data[:most]
    text = _text(shown, cut=len(shown) < len(data))
    told = hex_dump(shown) if text is None else text
    return told if len(shown) == len(data) else f"{told}\n… {len(data) - len(shown):,} of {len(data):,} bytes more (--full)"


def hex_dump(data: bytes) -> str:
    """A line for every 16 bytes: where they begin, the bytes, and the characters that can be printed."""
    lines = [""]
    for start in range(0, len(data), _WIDTH):
        part = data[start : start + _WIDTH]
        characters = "".join(chr(byte) if 0x20 <= byte < 0x7F else "." for byte in part)  # noqa: PLR2004 - what ASCII prints
        lines.append(f"  {start:08x}  {part.hex(' '):<{3 * _WIDTH - 1}}  {characters}")
    return "\n".join(lines)


def _text(data: bytes, *, cut: bool) -> str | None:
    """The text, where all of it can be shown; a character that was `cut` off at the end is left out."""
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        if not (cut and error.reason == "unexpected end of data"):
            return None
        text = data[: error.start].decode()
    return text if all(character.isprintable() or character in "\n\t\r" for character in text) else None
