"""Text from brokers on one line, without control characters."""


def escaped(text: str) -> str:
    r"""Return text whose control characters, newlines among them, are replaced by escapes such as `\x1b`."""
    if text.isprintable():
        return text
    return "".join(character if character.isprintable() else repr(character)[1:-1] for character in text)
