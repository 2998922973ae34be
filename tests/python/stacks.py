"""Reading sites: which frames of a stack are Python's, and which site holds a size."""


def python_frames(site):
    return [frame for frame in site["frames"] if frame["language"] == "python"]


def native_frames(site):
    return [frame for frame in site["frames"] if frame["language"] == "native"]


def site_of(sites, size):
    """The one site that has allocated exactly that size."""
    found = [site for site in sites if site["allocated"] == size]
    assert len(found) == 1, f"{len(found)} sites of {size} bytes; there are {sorted(s['allocated'] for s in sites)}"
    return found[0]


def sites_on_line(sites, file, line):
    """Sites whose innermost Python frame is that line."""
    frames = [(site, python_frames(site)) for site in sites]
    return [site for site, stack in frames if stack and (stack[-1]["file"], stack[-1]["line"]) == (file, line)]
