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


def document_of(t, url):
    """The document as a headless chromium has it when its scripts have run."""
    browser = shutil.which("chromium")
    assert browser, "chromium is not installed"
    with tempfile.TemporaryDirectory() as profile:
        line = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic",
                "--no-first-run", "--disable-background-networking", "--disable-component-update",
                "--disable-sync", f"--user-data-dir={profile}", "--dump-dom", url]
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
