"""Sites and stacks of a heap dump, as the program, a reader and `ddm` tell of them."""

KINDS = ("Dumped$Box", "Dumped$Box[]", "short[]", "Dumped$Copy", "char[]", "Dumped$Made", "float[]")
LIVE = "track=y,live=y,records=1k,dump=none"


def truth(n):
    """(class, Dumped's methods on the stack) -> objects."""
    sites = {("north", "keep"): n, ("north", "west", "keep"): 2 * n, ("south", "keep"): 3 * n}
    return {(kind, methods): count for kind in KINDS for methods, count in sites.items()}


def seen(rows):
    """The same of (class, [methods of the stack], objects), without the helpers copy() and main()."""
    counts = {}
    for kind, stack, count in rows:
        own = tuple(m.split(".")[1] for m in stack if m.startswith("Dumped.") and not m.endswith((".main", ".big")))
        if kind in KINDS and own and own != ("keep",):
            key = kind, own
            counts[key] = counts.get(key, 0) + count
    # What a site makes once, to clone it, is no more when its method ends.
    return counts


def rows_of(heap):
    return [(kind, [m.replace("Dumped$Copy.copy", "copy") for m in stack], n) for (kind, stack), n in heap.sites().items()]


def tool_rows(shown):
    return [(r["class"], [f"{f['class']}.{f['method']}".replace("Dumped$Copy.copy", "copy") for f in r["stack"]], r["count"])
            for r in shown["rows"]]


def check_stacks_of_threads(heap):
    allocations = {trace for _, trace, _ in heap.objects.values() if heap.stacks[trace]}
    assert not {heap.thread_of[t] for t in allocations} - {0}, "no thread's stack is an allocation's"
    assert not allocations & set(heap.thread_roots.values())
    stacks = [[frame[0] for frame in heap.stacks[trace]] for trace in heap.thread_roots.values()]
    parked = [stack for stack in stacks if "Dumped.parkedHere" in stack]
    assert len(parked) == 1 and parked[0][0].startswith("java.lang.Object.wait"), parked
    for thread, trace in heap.thread_roots.items():
        assert heap.thread_of[trace] == thread
    lines = [line for stack in heap.stacks.values() for frame, _, line in stack if frame == "Dumped.parkedHere"]
    assert all(line > 0 for line in lines)
