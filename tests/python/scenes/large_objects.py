"""One object that is larger than pymalloc's."""

import stage

expect = stage.Expectations()
stage.start()
stage.open_session()
kept = bytearray(1_999_993)
expect.finish(kept=len(kept))
