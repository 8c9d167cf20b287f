"""Pages of reports: their data, and how a browser shows them."""
import html.parser
import json
import os
import re
import shutil
import subprocess
import tempfile
import urllib.parse


class Elements(html.parser.HTMLParser):
    """The attributes of every element that has an id."""

    def __init__(self, text):
        super().__init__()
        self.by_id = {}
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if "id" in attributes:
            self.by_id[(tag, attributes["id"])] = attributes


def document_of(t, url, *flags):
    """The document as a headless chromium has it when its scripts have run."""
    browser = shutil.which("chromium")
    assert browser, "chromium is not installed"
    with tempfile.TemporaryDirectory() as profile:
        line = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic",
                "--no-first-run", "--disable-background-networking", "--disable-component-update",
                "--disable-sync", f"--user-data-dir={profile}", *flags, "--dump-dom", url]
        run = subprocess.run(line, capture_output=True, text=True, timeout=t.timeout, cwd=t.dir,
                             env={**os.environ, "HOME": profile})
    assert run.returncode == 0 and run.stdout, run.stderr[-2000:]
    return run.stdout


def open_in_browser(t, path, *more, **fragment):
    """The data- attributes of header#report and output#match, and of more (tag, id)."""
    document = document_of(t, f"file://{path}#{urllib.parse.urlencode(fragment, quote_via=urllib.parse.quote)}")
    elements = Elements(document).by_id
    assert ("header", "report") in elements, document[-2000:]
    return [{k[len("data-"):]: v for k, v in elements[where].items() if k.startswith("data-")}
            for where in (("header", "report"), ("output", "match"), *more)]


def data_of(path):
    """What the page has to draw."""
    with open(path, encoding="utf-8") as f:
        return json.loads(re.search(r'<script id="data"[^>]*>(.*?)</script>', f.read(), re.S)[1])


def numbers_of(text):
    """Those of a tree's text: 5 bits a letter."""
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    number = unit = 0
    for letter in text:
        digit = letters.index(letter)
        number += (digit % 32) << (5 * unit)
        unit += 1
        if digit < 32:
            yield number
            number = unit = 0


def stacks_of(data, name):
    """(names from the root on, figures) of each stack of a source of a page's data."""
    source = data[name]
    columns = 2 if "bytes" in source or "ns" in source else 1
    numbers, path = numbers_of(source["tree"]), []
    for head in numbers:
        place, kind = next(numbers), head % 4
        if head // 4:
            del path[-(head // 4):]
        path.append(data["names"][data["frames"][0][place]] if kind < 2 else
                    data["classes"][place] if kind == 2 else
                    data["thread_names"][place][1])
        if kind in (1, 2):
            figures = [next(numbers) for _ in range(columns)]
            if name == "live":
                ages = bin(next(numbers)).count("1")
                figures.append([next(numbers) for _ in range(ages)])
            yield tuple(path), figures


def run_in_page(t, path, script, width=1400, virtual_time=True, **fragment):
    """What a script returns, run in the page once that stands: the body of an async function, which can
    use all that the page's own script has, and settled(), when tables stand too. Without virtual time
    it has to be done at once: the browser does not wait for timers."""
    with open(path, encoding="utf-8") as f:
        page = f.read()
    acting = """<script>
const settled = () => new Promise((done) => setTimeout(() => {flushTables(); done();}, 100));
(async () => {%s})().then(
    (told) => (document.body.dataset.told = JSON.stringify(told === undefined ? null : told)),
    (error) => (document.body.dataset.failed = `${error} ${error.stack}`));
</script>
</body>""" % script
    changed = f"{path}.run.html"
    with open(changed, "w", encoding="utf-8") as f:
        f.write(page.replace("</body>", acting))
    url = f"file://{changed}#{urllib.parse.urlencode(fragment, quote_via=urllib.parse.quote)}"
    flags = ["--virtual-time-budget=20000"] if virtual_time else []
    document = document_of(t, url, *flags, f"--window-size={width},900")
    body = Attributes("body", document).found
    assert "data-told" in body, body.get("data-failed", document[-2000:])
    return json.loads(body["data-told"])


class Attributes(html.parser.HTMLParser):
    """Those of the first element of a kind."""

    def __init__(self, tag, text):
        super().__init__()
        self.tag, self.found = tag, {}
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        if tag == self.tag and not self.found:
            self.found = dict(attributes)
