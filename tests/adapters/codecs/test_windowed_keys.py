from eddyline.adapters.codecs.windowed_keys import WindowedKeyCodecs
from eddyline.adapters.primitive.codecs import PrimitiveCodecs
from eddyline.application.topology.windows import Window, Windowed

_KEY = Windowed("AAPL", Window(256, 512))


def test_windowed_keys_have_time_windows_where_their_size_is_set_and_session_windows_elsewhere() -> None:
    codecs = WindowedKeyCodecs(PrimitiveCodecs("string"), {"t": 256})
    session, time = codecs.for_key("sessions", Windowed[str]), codecs.for_key("t", Windowed[str])
    assert (len(session.encode(_KEY) or b""), len(time.encode(_KEY) or b"")) == (4 + 16, 4 + 8)
    assert session.decode(session.encode(_KEY)) == time.decode(time.encode(_KEY)) == _KEY
