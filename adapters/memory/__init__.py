"""Everything in the memory of one process: the test driver, and the fakes that are real adapters of their ports."""
