"""The examples of a run that tries mutants: the same every time, and the first that fails is enough, however large it is."""

import hypothesis

hypothesis.settings.register_profile(
    "mutants",
    hypothesis.settings.get_profile("ci"),
    phases=(hypothesis.Phase.explicit, hypothesis.Phase.generate),
)
