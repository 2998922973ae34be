"""What a report says of native frames: functions, lines and inlined calls of C++ and Rust; of stripped ones, where."""

import json
import os
import pathlib
import shutil
import subprocess

import pytest
from conftest import BUILD, ROOT

NATIVE = BUILD / "tests" / "native"
INLINES = ROOT / "tests" / "native" / "inlines.cc"
PROGRAM = """\
import ctypes, sys
take = getattr(ctypes.CDLL(sys.argv[1]), sys.argv[2])
take.restype, take.argtypes = ctypes.c_void_p, [ctypes.c_size_t]
kept = take(int(sys.argv[3]))
"""
RUST = """\
#[inline(always)]
fn fill(size: usize) -> Vec<u8> {
    Vec::with_capacity(size) // innermost
}

mod shelf {
    pub struct Board;
    pub trait Takes {
        fn build(&self, size: usize) -> usize;
    }
    impl Takes for Board {
        #[inline(never)]
        fn build(&self, size: usize) -> usize {
            let block = super::fill(size); // outer
            let address = block.as_ptr() as usize;
            std::mem::forget(std::hint::black_box(block));
            address
        }
    }
}

#[no_mangle]
pub extern "C" fn rust_take(size: usize) -> usize {
    use shelf::Takes;
    std::hint::black_box(shelf::Board.build(size)) // entry
}
"""


def line_of(source, marker):
    (number,) = (number for number, line in enumerate(source.splitlines(), 1) if line.endswith(f"// {marker}"))
    return number


@pytest.fixture
def frames_of(cli, tmp_path):
    """Runs a program that has a library take `size` bytes; the frames of the library in the report, outermost first."""

    def frames(library, function, size):
        (tmp_path / "takes.py").write_text(PROGRAM)
        finished = cli("run", "takes.py", str(library), function, str(size), cwd=tmp_path)
        assert finished.returncode == 0, finished.stderr
        (path,) = (tmp_path / "sparkmemprof-report").glob("*/report.json")
        report = json.loads(path.read_text())
        (site,) = (site for site in report["stages"][0]["sites"] if site["allocatedBytes"] == size)
        return [frame for frame in site["frames"] if frame["module"] == str(library)]

    return frames


def places(frames):
    return [(frame["function"], frame["file"] and pathlib.Path(frame["file"]).name, frame["line"]) for frame in frames]


def test_lines_and_inlined_functions_of_cpp(frames_of):
    frames = frames_of(NATIVE / "libinlines.so", "inlines_take", 3_000_017)

    source = INLINES.read_text()
    assert places(frames) == [
        ("inlines_take", "inlines.cc", line_of(source, "entry")),
        ("void* shelf::Build<1>(unsigned long)", "inlines.cc", line_of(source, "outer")),
        ("shelf::Fill(unsigned long)", "inlines.cc", line_of(source, "innermost")),
    ]
    assert all(frame["language"] == "native" and "offset" not in frame for frame in frames)


def test_of_a_stripped_library_module_offset_and_build_id_are_told(frames_of):
    library = NATIVE / "libinlines_stripped.so"
    frames = frames_of(library, "inlines_take", 3_000_029)

    notes = subprocess.run(["readelf", "-n", library], capture_output=True, text=True, check=True).stdout
    assert places(frames) == [("inlines_take", None, None), (None, None, None)]
    assert frames[1]["buildId"] in notes
    # The unstripped library knows what is there.
    whole = NATIVE / "libinlines.so"
    command = ["addr2line", "-fsCe", whole, hex(frames[1]["offset"] - 1)]
    told = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert f"inlines.cc:{line_of(INLINES.read_text(), 'innermost')}" in told


@pytest.mark.parametrize("mangling", ["legacy", "v0"])
def test_lines_and_inlined_functions_of_rust(mangling, frames_of, tmp_path):
    rustc = shutil.which("rustc") or shutil.which("rustc", path=str(pathlib.Path.home() / ".cargo" / "bin"))
    if rustc is None:
        pytest.skip("no rustc on PATH or in ~/.cargo/bin")
    (tmp_path / "shelf.rs").write_text(RUST)
    library = tmp_path / "librust_shelf.so"
    options = [
        "--crate-type",
        "cdylib",
        "-g",
        "-O",
        "-C",
        f"symbol-mangling-version={mangling}",
        "-Z",
        "unstable-options",
    ]
    built = subprocess.run(
        [rustc, *options, tmp_path / "shelf.rs", "-o", library],
        env={**os.environ, "RUSTC_BOOTSTRAP": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert built.returncode == 0, built.stderr
    frames = frames_of(library, "rust_take", 3_000_041)

    found = {
        (frame["function"] or "", frame["line"])
        for frame in frames
        if pathlib.Path(frame["file"] or "").name == "shelf.rs"
    }
    lines = {line for _, line in found}
    assert {line_of(RUST, "outer"), line_of(RUST, "innermost")} <= lines
    names = [frame["function"] for frame in frames]
    assert any("shelf::Board" in name and "build" in name for name in names), names
    assert any(name.split("<")[0].endswith("fill") for name in names), names
    assert not any(name.startswith("_") for name in names), "all are demangled"
    order = [frame["line"] for frame in frames if frame["line"] in (line_of(RUST, "outer"), line_of(RUST, "innermost"))]
    assert order == [line_of(RUST, "outer"), line_of(RUST, "innermost")], "outermost first"
