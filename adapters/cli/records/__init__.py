"""Records as users write and read them: lines of text, codecs by name, and bytes that are not text."""
