"""The codecs of all adapters fulfil the contract of codecs, which is the suite that users have for theirs."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eddyline.application.ports.codec import Codec
from eddyline.testing.ports import CodecConformance
from tests.fixtures.examples import examples
from tests.ports.codecs import CASES, CodecCase

each_codec = pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])


class Conformance(CodecConformance):
    def __init__(self, case: CodecCase) -> None:
        self._case = case
        self.invalid = case.invalid

    def codec(self) -> Codec:
        return self._case.new_codec()


@each_codec
@settings(max_examples=examples(30), deadline=None)
@given(data=st.data())
def test_every_value_is_decoded_as_it_was_encoded(case: CodecCase, data: st.DataObject) -> None:
    Conformance(case).check_round_trip(data.draw(case.values))


@each_codec
def test_single_cases(case: CodecCase) -> None:
    suite = Conformance(case)
    suite.test_none_is_encoded_and_decoded_as_none()
    suite.test_invalid_bytes_are_an_error()
    suite.test_an_unsupported_value_is_an_error()


@each_codec
@settings(max_examples=examples(5), deadline=None)
@given(data=st.data())
def test_headers_columns_and_pickled_codecs(case: CodecCase, data: st.DataObject) -> None:
    suite, values = Conformance(case), data.draw(st.lists(case.values, max_size=3))
    suite.check_columns(values)
    for value in values:
        suite.check_other_headers(value)
        suite.check_pickled(value)


@each_codec
@settings(max_examples=examples(30), deadline=None)
@given(st.binary(max_size=30))
def test_arbitrary_bytes_are_a_value_or_an_error(case: CodecCase, data: bytes) -> None:
    Conformance(case).check_arbitrary_bytes(data)
