"""An error that a user can fix is one line and exit status 2; everything else is a bug and keeps its traceback."""


class UserError(Exception):
    """The message says what happened, to which thing, and what to do."""
