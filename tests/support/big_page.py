"""A page of many nodes: one that the agent wrote, with other data."""
import json
import random
import re

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"


def letters(number):
    text = ""
    while number >= 32:
        text += LETTERS[32 + number % 32]
        number //= 32
    return text + LETTERS[number]


def big_page(page, nodes, seed=1):
    """The text of a page whose whole run has so many nodes: stacks of 10 to 60 frames that share most of
    their callers, as a compiler's do."""
    chance = random.Random(seed)
    methods, kinds = 6000, 800
    names = [f"com.shop.p{i % 60}.Class{i // 7}.method{i % 7}" if i % 3 else f"java.util.Class{i}.method{i % 5}"
             for i in range(methods)]
    tree, depth, last, made, total, count = [], 0, 0, 1, 0, 0
    while made < nodes:
        target = chance.randrange(10, 60)
        depth = min(depth, max(1, int(target * chance.random() ** 0.3)))
        for level in range(depth + 1, target):
            tree.append(letters(4 * (last + 1 - level)) + letters(min(int(chance.expovariate(0.002)), methods - 1)))
            last = level
            made += 1
        size, often = chance.randrange(16, 4096), chance.randrange(1, 2000)
        tree.append(letters(4 * (last + 1 - target) + 2) + letters(min(int(chance.expovariate(0.02)), kinds - 1)) +
                    letters(size) + letters(often))
        last = target
        made += 1
        total, count, depth = total + size, count + often, target - 1
    begin, end = re.search(r'(<script id="data"[^>]*>)(.*?)</script>', page, re.S).span(2)
    data = json.loads(page[begin:end])
    data.update({
        "names": names, "origins": "".join("3" if name.startswith("java") else "0" for name in names),
        "files": ["A.java"], "classes": [f"com.shop.p{i % 60}.Kind{i}" for i in range(kinds)],
        "frames": [list(range(methods)), [0] * methods, [i % 900 for i in range(methods)]],
        "thread_names": [], "run": {"bytes": total, "count": count, "nodes": made, "tree": "".join(tree)},
    })
    data.pop("recent")
    data["summary"].update(seen=count, seen_bytes=total)
    return page[:begin] + json.dumps(data, separators=(",", ":")) + page[end:]
