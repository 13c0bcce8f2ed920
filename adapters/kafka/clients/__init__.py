"""Creating and reusing client objects of confluent-kafka, and translating their errors."""
