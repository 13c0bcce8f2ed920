"""The hypothesis profile of mutation tests: the same examples in every run, and no shrinking of those that fail."""

import hypothesis

hypothesis.settings.register_profile(
    "mutants",
    hypothesis.settings.get_profile("ci"),
    phases=(hypothesis.Phase.explicit, hypothesis.Phase.generate),
)
