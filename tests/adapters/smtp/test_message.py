from base64 import b64encode
from email import message_from_bytes, policy
from quopri import encodestring

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eddyline.adapters.smtp.notifier import envelope_of, message_of
from eddyline.application.ports.notifier import Alert

HEADERS = [
    "From",
    "To",
    "Subject",
    "Date",
    "Message-ID",
    "Auto-Submitted",
    "Content-Type",
    "Content-Transfer-Encoding",
    "MIME-Version",
]
INJECTED = "\r\nReply-To: eve@example.org\r\n\r\nhello"


def encoded_words() -> st.SearchStrategy[str]:
    hostile = st.sampled_from([INJECTED, "\n", "\r", "\nX: y", "\x00", "\x85"])
    charset = st.sampled_from(["utf-8", "us-ascii", "iso-8859-1", "utf-7", "nonsense", ""])
    quoted = hostile.map(lambda text: encodestring(text.encode(), header=True).decode().replace("=\n", "").replace("\n", "=0A"))
    base64 = hostile.map(lambda text: b64encode(text.encode()).decode())
    words = st.one_of(
        st.builds("=?{}?q?{}?=".format, charset, quoted),
        st.builds("=?{}?B?{}?=".format, charset, base64),
    )
    return st.lists(st.one_of(words, st.sampled_from(["=?", "?=", "=", "?", " ", "é", "=?utf-8?q?=0d=0aX:_y?="]), st.text())).map(
        "".join
    )


def alert_with(*, subject: str = "s", body: str = "b", recipient: str = "ann@example.org") -> Alert:
    return Alert("id", recipient, subject, body)


@given(encoded_words(), encoded_words())
def test_no_subject_and_no_body_adds_a_header(subject: str, body: str) -> None:
    message = message_of(alert_with(subject=subject, body=body), "shop@example.org")
    for utf8 in (False, True):
        data = message.as_bytes(policy=policy.SMTP.clone(utf8=utf8))
        received = message_from_bytes(data, policy=policy.SMTP)
        assert received.keys() == HEADERS
        head = data.partition(b"\r\n\r\n")[0].replace(b"\r\n", b"")
        assert not set(head) & {*range(0x20), 0x7F} - {ord("\t")}


@pytest.mark.parametrize(
    "subject",
    [
        "=?utf-8?q?x=0d=0aReply-To:=20eve@example.org?=",
        "=?utf-8?b?DQpSZXBseS1UbzogZXZl?=",
        "a=?us-ascii?q?=0aReply-To:_eve?=",
    ],
)
def test_an_encoded_word_in_a_subject_is_shown_as_it_is_written(subject: str) -> None:
    message = message_of(alert_with(subject=subject), "shop@example.org")
    received = message_from_bytes(message.as_bytes(), policy=policy.SMTP)
    assert received["Subject"] == subject.replace("=?", "= ?")
    assert received["Reply-To"] is None


@pytest.mark.parametrize(
    "address",
    [
        "=?utf-8?q?Ann=0d=0aBcc:_eve@example.org?= <ann@example.org>",
        "a=?utf-8?q?b=0d=0aX:_y?=c <ann@example.org>",
        "ann@=?utf-8?q?example.org?=",
        "ann@example.org, eve@example.org",
        "friends: ann@example.org;",
        "friends: ann@example.org",
        "ann\r\nBcc: eve@example.org",
        "",
    ],
)
def test_an_address_with_anything_but_one_mailbox_is_refused(address: str) -> None:
    expected = "is not a single e-mail address; write, for example, ann@example.org"
    with pytest.raises(ValueError, match=expected):
        message_of(alert_with(recipient=address), "shop@example.org")
    with pytest.raises(ValueError, match=expected):
        message_of(alert_with(), address)


def test_the_envelope_has_the_addresses_of_the_headers() -> None:
    message = message_of(alert_with(recipient='"eve@example.org, Ann" <ann@example.org>'), "Shop <shop@example.org>")
    assert envelope_of(message) == ("shop@example.org", "ann@example.org")


@pytest.mark.parametrize("character", ["\x00", "\x08", "\x0b", "\x1b", "\x1f", "\x7f", "\x80", "\x9b", "\x9f"])
def test_control_characters_become_spaces(character: str) -> None:
    message = message_of(alert_with(subject=f"a{character}b", body=f"a{character}b"), "shop@example.org")
    assert (message["Subject"], message.get_content()) == ("a b", "a b\n")


@pytest.mark.parametrize("character", ["\t", "\xa0", " ", "~"])
def test_other_characters_of_a_body_are_kept(character: str) -> None:
    message = message_of(alert_with(body=f"a{character}b"), "shop@example.org")
    assert message.get_content() == f"a{character}b\n"
