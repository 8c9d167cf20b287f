"""The program whose shares of CPU are known, and how samples are held against them."""

PARTS = ("seventy", "twenty", "ten")


def truth_of(out):
    return dict(zip(PARTS, (int(word) / 10 for word in out.split())))


def shares_come_to(points, measure, tries=6):
    """`measure()` gives ({part: what was found}, {part: true percent}). The fewer samples a busy machine
    lets happen, the more chance is in their shares: all that were taken together have to come within
    so many points."""
    found, truth = dict.fromkeys(PARTS, 0), dict.fromkeys(PARTS, 0)
    for tried in range(1, tries + 1):
        more, percents = measure()
        for part in PARTS:
            found[part] += more[part]
            truth[part] += percents[part]
        whole = sum(found.values())
        off = {part: 100 * found[part] / whole - truth[part] / tried for part in PARTS}
        if all(abs(difference) <= points for difference in off.values()):
            return
    raise AssertionError((off, found, truth, tries))
