"""sparkmemprof: where did the memory of my executors go, and why did they die?

What Python workers import (``daemon``, ``worker``, ``config``, ``udfs``, ``_hooks``) needs the standard library alone.
"""

__version__ = "0.1.0"
