"""The package as a wheel has it, made of links: its Python files, and what was built for it."""

PARTS = ("_store.*.so", "_hooks.*.so", "libsparkmemprof_report.so")


def link_package(folder, root, build):
    """Makes `folder`/sparkmemprof: `folder` is then one for PYTHONPATH. root: the checkout; build: of the preset."""
    target = folder / "sparkmemprof"
    target.mkdir()
    for source in (root / "pyworker-shim/sparkmemprof").iterdir():
        (target / source.name).symlink_to(source)
    for part in PARTS:
        found = list((build / "python/sparkmemprof").glob(part))
        assert found, f"no {part} below {build}: build it first"
        for module in found:
            (target / module.name).symlink_to(module)
