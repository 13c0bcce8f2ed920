"""What is decided before a record is read: options, topology, partitions and codecs, and the formats of what a run keeps."""
