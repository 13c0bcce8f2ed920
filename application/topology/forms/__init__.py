"""The forms of the values of types in state: in stores, changelogs and repartition topics, which Eddyline alone reads.

A value comes back from its form as it was: equal, and of the same classes. Types for which that is impossible have no form, and
values of other classes than those that were declared are refused.
"""

from eddyline.application.topology.forms.form import Form, FormError, NoFormError, described, expected_found, shortened
from eddyline.application.topology.forms.key_types import cure, problem_with_key
from eddyline.application.topology.forms.keys import Canonical, canonical_key, is_canonical
from eddyline.application.topology.forms.of_type import form_of
from eddyline.application.topology.forms.sameness import same

__all__ = [
    "Canonical",
    "Form",
    "FormError",
    "NoFormError",
    "canonical_key",
    "cure",
    "described",
    "expected_found",
    "form_of",
    "is_canonical",
    "problem_with_key",
    "same",
    "shortened",
]
