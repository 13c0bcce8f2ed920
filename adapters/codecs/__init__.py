"""What codecs of every format share: windowed keys, a codec for each topic, error messages. Standard library only."""
