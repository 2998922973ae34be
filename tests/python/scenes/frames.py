"""Every shape of Python stack: each allocation must be on its own line, in its own function."""

import asyncio
import ctypes
import sys
import threading
import types

import stage

library = stage.load("exact_alloc")
holding = ctypes.PyDLL(library._name)  # keeps the GIL during calls
holding.exact_malloc.restype = ctypes.c_void_p
holding.exact_malloc.argtypes = [ctypes.c_size_t]
callback_type = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_size_t)
library.exact_call.restype = ctypes.c_void_p
library.exact_call.argtypes = [callback_type, ctypes.c_size_t]

expect = stage.Expectations()
LIBRARY = "libexact_alloc.so"


def plain():
    size = expect.size()
    block, line = library.exact_malloc(size), stage.line()
    expect.note(size, line)
    return block


def with_gil():
    size = expect.size()
    block, line = holding.exact_malloc(size), stage.line()
    expect.note(size, line)
    return block


class Nested:
    def method(self):
        def inner():
            size = expect.size()
            block, line = library.exact_malloc(size), stage.line()
            expect.note(size, line)
            return block

        return inner()


def several_lines():
    size = expect.size()
    line = stage.line() + 1
    block = library.exact_malloc(
        size,
    )
    expect.note(size, line)
    return block


def generator():
    size = expect.size()
    yield library.exact_malloc(size), expect.note(size, stage.line())
    size = expect.size()
    yield library.exact_malloc(size), expect.note(size, stage.line())


def between_yields():
    running = generator()
    next(running)
    size = expect.size()
    _, line = library.exact_malloc(size), stage.line()
    expect.note(size, line, without="generator")
    next(running)


def recursive(depth):
    if depth > 0:
        return recursive(depth - 1)
    size = expect.size()
    block, line = library.exact_malloc(size), stage.line()
    expect.note(size, line, outermost="<module>", above="recursion")
    return block


def recursion():
    sys.setrecursionlimit(10_000)
    recursive(500)


def ping(depth):
    return pong(depth - 1)


def pong(depth):
    if depth > 0:
        return ping(depth)
    size = expect.size()
    block, line = library.exact_malloc(size), stage.line()
    expect.note(size, line, outermost="<module>", above="mutual_recursion")
    return block


def mutual_recursion():
    ping(700)


def comprehension():
    size = expect.size()
    blocks, line = [library.exact_malloc(size) for _ in range(1)], stage.line()
    # A frame of its own until 3.12 inlined them.
    name = "comprehension" if sys.version_info >= (3, 12) else "<listcomp>"
    expect.note(size, line)
    expect.found[-1]["function"] = f"comprehension.<locals>.{name}" if sys.version_info[:2] == (3, 11) else name
    return blocks


async def coroutine():
    await asyncio.sleep(0)
    size = expect.size()
    block, line = library.exact_malloc(size), stage.line()
    expect.note(size, line)
    return block


def called_back(size):
    block, line = library.exact_malloc(size), stage.line()
    expect.note(size, line, order=["<module>", LIBRARY, "called_back", LIBRARY])
    return block


def calls_back(size):
    """Its own library calls Python again, from within a recursion and a generator."""

    def outer(depth, size):
        if depth > 0:
            return outer(depth - 1, size)
        return library.exact_call(callback_type(inner), size)

    def inner(size):
        return sum(blocks(size))

    def blocks(size):
        block, line = library.exact_malloc(size), stage.line()
        expect.note(size, line, order=["<module>", LIBRARY, "calls_back", "outer", LIBRARY, "inner", "blocks", LIBRARY])
        yield block

    return outer(40, size)


def calls_back_deeply():
    """Further out than natives are looked at; what is nearer has its place all the same."""

    def deep(depth, size):
        if depth > 0:
            return library.exact_call(callback_type(lambda size: deep(depth - 1, size)), size)
        block, line = library.exact_malloc(size), stage.line()
        expect.note(size, line, above="calls_back_deeply", ending=["deep", LIBRARY, "<lambda>", "deep", LIBRARY])
        return block

    deep(60, expect.size())


def in_python_thread():
    def run():
        size = expect.size()
        _, line = library.exact_malloc(size), stage.line()
        expect.note(size, line, without="<module>")

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()


def in_native_thread():
    size = expect.size()
    block = library.exact_malloc_in_thread(size)
    expect.note(size, 0, no_python=True)
    return block


def reused_code():
    """Code objects that die and are born at the same address, with everything alike but where their lines are."""
    for blank_lines in range(1, 30):
        source = "def same():\n" + "\n" * blank_lines + " return library.exact_malloc(size)\n"
        size = expect.size()
        scope = {"library": library, "size": size}
        exec(compile(source, "reused", "exec"), scope)
        scope["same"]()
        expect.note(size, 0)
        expect.found[-1].update(function="same", file="reused", line=blank_lines + 2)
        del scope


def reused_code_of_another_session():
    """The same, where only the middle of their line tables differs: from CPython 3.12 on it can't go wrong."""
    before, after = " a = 0\n" * 8, " b = 0\n" * 8
    scope = {"library": library}
    for task in range(2, 7):
        source = f"def same(size):\n{before}{task * chr(10)} library.exact_malloc(size)\n{after}"
        exec(compile(source, "reused", "exec"), scope)
        scope[task] = scope["same"]
    for task in range(2, 7):
        stage.open_session(task)
        size = expect.size()
        types.FunctionType(scope[task].__code__.replace(), scope)(size)
        expect.note(size, 0)
        expect.found[-1].update(function="same", file="reused", line=task + 10)


def of_factory(size):
    block, line = library.exact_malloc(size), stage.line()
    expect.note(size, line)
    return block


def renamed():
    """Closures of one factory as a worker has them: each with a code object and a name of its own."""
    codes = [of_factory.__code__.replace() for _ in range(4)]
    for code, name in zip(codes, ("price_0", "größe", "either", "x" * 200)):
        stage.hooks.name_code(code, name)
    stage.hooks.name_code(codes[0], "price_0")
    stage.hooks.name_code(codes[2], "or")
    call_each(codes, "price_0", "größe", "or", "of_factory")
    stage.hooks.close_session()
    stage.open_session(2)
    call_each(codes, *["of_factory"] * 4)


def installed_keeps_its_name():
    """A package's wrapper, to which a decorator gave the name of the user's function."""
    own = "/opt/größe/wrappers.py"
    files = ("/opt/site-packages/a.py", "/usr/lib/python3.9/b.py", "/größe/site-packages/c.py", "<frozen d>", own)
    codes = [of_factory.__code__.replace(co_filename=file) for file in files]
    for code in codes:
        stage.hooks.name_code(code, "users")
        call_each([code], "users" if code.co_filename == own else "of_factory")
        expect.found[-1]["file"] = code.co_filename
    stage.hooks.close_session()
    stage.open_session(7)


def call_each(codes, *names):
    for number, (code, name) in enumerate(zip(codes, names)):
        scope = {"function": types.FunctionType(code, globals()), "size": expect.size()}
        exec(compile("function(size)", f"caller-{number}.py", "exec"), scope)
        expect.found[-1]["function"] = name


def beyond_ascii():
    size = expect.size()
    scope = {"library": library, "size": size}
    source = "def größe():\n return library.exact_malloc(size)\ngröße()\n"
    exec(compile(source, "/tmp/大きさ-\U0001f4be.py", "exec"), scope)
    expect.note(size, 0)
    expect.found[-1].update(function="größe", file="/tmp/大きさ-\U0001f4be.py", line=2)


def traced():
    def trace(frame, event, argument):
        return trace

    sys.setprofile(lambda *arguments: None)
    sys.settrace(trace)
    try:
        plain()
    finally:
        sys.settrace(None)
        sys.setprofile(None)


class Destroyed:
    def __del__(self):
        size = expect.size()
        _, line = library.exact_malloc(size), stage.line()
        expect.note(size, line)


stage.start()
stage.open_session()
plain()
with_gil()
Nested().method()
several_lines()
between_yields()
recursion()
mutual_recursion()
comprehension()
asyncio.run(coroutine())
library.exact_call(callback_type(called_back), expect.size())
library.exact_call(callback_type(calls_back), expect.size())
calls_back_deeply()
in_python_thread()
in_native_thread()
reused_code()
beyond_ascii()
traced()
Destroyed()
renamed()
installed_keeps_its_name()
reused_code_of_another_session()
expect.finish()
