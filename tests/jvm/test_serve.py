"""ddm serve: metrics, profiles and pages over HTTP, and who is not answered."""
import json
import os
import re
import signal
import socket
import subprocess
import threading
import time
from collections import Counter

from browser import Elements, document_of, run_in_page
from ddm_client import Target
from harness import ROOT, Report, test
from leaking import Leaking
from pprof import Profile
from process_stat import cpu_ns
from prometheus import Prometheus, promtool
from served import Served, metrics_of
from tool import DDM, REFUSED, USAGE, ddm, ddm_json

TRACKED = "track=y,live=y,dump=none,log=error"


def saved(t, name, body):
    with open(t.path(name), "wb") as file:
        file.write(body)
    return t.path(name)


@test(jdks="each")
def metrics_are_what_the_programs_count(t):
    with Leaking(t, 60_000, TRACKED) as busy, Target(t, "dump=none,log=error") as idle, Served(t) as served:
        before = ddm_json(t, "allocs", busy.pid)
        text = served.get("/metrics").decode()
        after = ddm_json(t, "allocs", busy.pid)
        found = metrics_of(text)
        for name, field in (("ddm_allocated_bytes_total", "bytes"), ("ddm_allocated_objects_total", "count")):
            low, high = (sum(row[field] for row in rows) for rows in (before, after))
            assert low <= found[name][busy.pid] <= high, name
            assert found[name][idle.pid] == 0
        assert (found["ddm_tracking"][busy.pid], found["ddm_tracking"][idle.pid]) == (1, 0)
        assert found["ddm_live_bytes"][busy.pid] > 1_000_000 and idle.pid not in found["ddm_live_bytes"]
        collections = found["ddm_collections_total"][idle.pid]
        ddm(t, "gc", idle.pid)
        ddm(t, "gc", idle.pid)
        time.sleep(0.6)  # figures are asked for twice a second
        again = metrics_of(served.get("/metrics").decode())
        assert again["ddm_collections_total"][idle.pid] >= collections + 2
        assert again["ddm_allocated_bytes_total"][busy.pid] > found["ddm_allocated_bytes_total"][busy.pid]
        assert 0 < again["ddm_heap_used_bytes"][idle.pid] < again["ddm_heap_max_bytes"][idle.pid]
        # A thread of the agent that collected ends a second or two later.
        deadline = time.monotonic() + 30
        while True:
            shown = len(ddm_json(t, "threads", idle.pid))
            time.sleep(0.6)
            counted = metrics_of(served.get("/metrics").decode())["ddm_threads"][idle.pid]
            if counted == shown or time.monotonic() > deadline:
                break
        assert counted == shown
        assert again["ddm_jvms"][""] >= 2 and sum(map(len, again.values())) <= 500
        assert ddm_json(t, "info", idle.pid)["tracking"] is False  # looking switches nothing on


@test()
def prometheus_scrapes_with_the_configuration_of_the_documents(t):
    with open(os.path.join(ROOT, "docs", "fleet.md"), encoding="utf-8") as file:
        scrape, rules = re.findall(r"(?s)```yaml\n(.*?)```", file.read().split("## Prometheus")[1])[:2]
    with open(t.path("rules.yml"), "w", encoding="utf-8") as file:
        file.write(rules)
    checked = promtool(t, "rules", t.path("rules.yml"))
    assert checked.startswith("0: ") and "2 rules found" in checked, checked
    with Target(t, "track=y,dump=none,log=error") as target, \
            Served(t, "--token-file", t.path("token")) as served:
        assert promtool(t, "metrics", text=served.get("/metrics").decode()) == "0: "
        scrape = scrape.replace("/etc/prometheus/ddm.token", t.path("token")).replace(": 15s", ": 1s")
        # The same server twice: named, and found by its list of targets.
        found = "  - job_name: found\n" + scrape.split("job_name: ddm\n")[1].split("    static_configs")[0] + f"""
    http_sd_configs:
      - url: {served.url}/targets
        authorization:
          credentials_file: {t.path("token")}
"""
        configuration = (scrape + found).replace("127.0.0.1:8040", f"127.0.0.1:{served.port}")
        with Prometheus(t, configuration) as prometheus:
            mine = f'{{job="ddm",pid="{target.pid}"}}'
            (labels, allocated), = prometheus.values("ddm_allocated_bytes_total" + mine, 1)
            assert labels["instance"] == f"127.0.0.1:{served.port}" and allocated > 0, labels
            assert allocated <= sum(row["bytes"] for row in ddm_json(t, "allocs", target.pid))
            assert prometheus.values("ddm_tracking" + mine, 1)[0][1] == 1
            prometheus.values("rate(ddm_allocated_bytes_total" + mine + "[1m])", 1)  # from two scrapes on
            jobs = {labels["job"] for labels, value in prometheus.values("up == 1", 2)}
            assert jobs == {"ddm", "found"}, jobs


@test()
def profiles_are_pprofs_and_a_time_is_a_difference(t):
    with Leaking(t, 60_000, TRACKED) as target, Served(t) as served:
        ask = f"?pid={target.pid}&token={served.token}"
        whole = Profile(saved(t, "allocs.pb.gz", served.get(f"/debug/pprof/allocs?pid={target.pid}")))
        assert whole.types == ["alloc_objects", "alloc_space", "inuse_objects", "inuse_space"]
        before = ddm_json(t, "allocs", target.pid)
        more = Profile(saved(t, "more.pb.gz", served.get(f"/debug/pprof/allocs?pid={target.pid}&seconds=1")))
        after = ddm_json(t, "allocs", target.pid)
        # What is alive may also become less, which a time's allocations never do.
        assert more.types == ["alloc_objects", "alloc_space"], more.types
        alive = Profile(saved(t, "alive.pb.gz", served.get(f"/debug/pprof/heap?pid={target.pid}&seconds=0.1")))
        assert alive.types == whole.types, alive.types
        sums = Counter()
        for stack, values in more.samples:
            assert values["alloc_objects"] >= 0 and any(values.values()), (stack, values)
            sums[stack[0][0]] += values["alloc_objects"]
        # A collector that subtracts profiles itself knows a stack again by its addresses.
        later = Profile(saved(t, "later.pb.gz", served.get(f"/debug/pprof/allocs?pid={target.pid}")))
        assert set(whole.addresses) <= set(later.addresses)
        stacks = {}
        for profile in (whole, later):
            for addresses, (stack, _) in zip(profile.addresses, profile.samples):
                assert stacks.setdefault(addresses, stack) == stack, addresses
        # In a second there are 1,000 sessions, and between the two tables at least as many as then.
        sessions = sums["Leaks$Session_[new]"]
        tables = [next(row["count"] for row in rows if row["class"] == "Leaks$Session") for rows in (before, after)]
        assert 500 <= sessions <= tables[1] - tables[0], (sessions, tables)
        # Go's own reader fetches by itself, and shows what is alive first where heap is asked for.
        done = t.command(["go", "tool", "pprof", "-top", "-unit=bytes", "-nodefraction=0", f"{served.url}/debug/pprof/heap{ask}"],
                         env={"HOME": t.dir, "PPROF_TMPDIR": t.dir})
        assert done.code == 0 and "Type: inuse_space" in done.out and "Leaks$Session_[new]" in done.out, done
        done = t.command(["go", "tool", "pprof", "-top", "-nodefraction=0", "-sample_index=alloc_objects",
                          f"{served.url}/debug/pprof/allocs{ask}&seconds=1"],
                         env={"HOME": t.dir, "PPROF_TMPDIR": t.dir})
        assert done.code == 0 and "Leaks$Session_[new]" in done.out and "Duration: 1" in done.out, done
        page = served.get(f"/report?pid={target.pid}")
        assert b'<script id="data"' in page and b"Leaks$Session" in page


def cpu_of(t, served, pid):
    """What /debug/pprof/profile has of a second of it: (nanoseconds of CPU, of these in CpuShares.spin)."""
    profile = Profile(saved(t, f"cpu-{pid}.pb.gz", served.get(f"/debug/pprof/profile?pid={pid}&seconds=1")))
    assert profile.types == ["samples", "cpu"]
    spinning = sum(values["cpu"] for stack, values in profile.samples
                   if any(function == "CpuShares.spin" and line > 0 for function, line in stack))
    return sum(values["cpu"] for _, values in profile.samples), spinning


@test()
def cpu_profiles_show_what_runs_and_not_what_waits(t):
    with Target(t, "dump=none,log=error") as idle, Served(t) as served, \
            t.popen("CpuShares", "60000", agent="dump=none,log=error") as busy:
        try:
            end = time.monotonic() + 60  # until it does what it is there for
            while "main" not in (row["name"] for row in ddm_json(t, "threads", idle.pid)) or \
                    "CpuShares.spin" not in t.command([DDM, "stack", str(busy.pid), "--all"]).out:
                assert time.monotonic() < end
            before = cpu_ns(busy.pid)
            total, spinning = cpu_of(t, served, busy.pid)
            used = cpu_ns(busy.pid) - before
            # Not more than it used, and nearly all in the method that does nothing but use it.
            assert 0.3 * used < total <= used and spinning >= 0.8 * total, (total, spinning, used)
            before = cpu_ns(idle.pid)
            total, _ = cpu_of(t, served, idle.pid)
            used = cpu_ns(idle.pid) - before
            assert total <= used + 20_000_000 and total < 300_000_000, (total, used)
            # Sampling is off again, and what was sampled for a request is in no report.
            for pid in (busy.pid, idle.pid):
                ddm(t, "allocs", pid, "-o", "time.jsonl")
                assert "sampler" not in Report(t.path("time.jsonl")).summary
        finally:
            busy.kill()


@test()
def cpu_profiles_that_overlap_have_both_their_own_time(t):
    with Served(t) as served, t.popen("CpuShares", "60000", agent="dump=none,log=error") as busy:
        try:
            end = time.monotonic() + 60
            while "CpuShares.spin" not in t.command([DDM, "stack", str(busy.pid), "--all"]).out:
                assert time.monotonic() < end
            path = f"/debug/pprof/profile?pid={busy.pid}&seconds="
            totals = {}

            def ask(seconds):
                before = cpu_ns(busy.pid)
                profile = Profile(saved(t, f"{seconds}.pb.gz", served.get(path + str(seconds))))
                totals[seconds] = (sum(values["cpu"] for _, values in profile.samples), cpu_ns(busy.pid) - before)

            short = threading.Thread(target=ask, args=(1,))
            short.start()
            time.sleep(0.5)
            ask(2)
            short.join()
            for total, used in totals.values():
                assert 0 < total <= used, totals
            assert totals[2][0] > 0.3 * totals[2][1], totals
            ddm(t, "allocs", busy.pid, "-o", "time.jsonl")
            assert "sampler" not in Report(t.path("time.jsonl")).summary, "it goes on"
        finally:
            busy.kill()


@test()
def programs_that_are_not_tracked_stay_so_unless_it_is_asked_for(t):
    with Leaking(t, 60_000, "dump=none,log=error") as target, Served(t) as served:
        path = f"/debug/pprof/allocs?pid={target.pid}"
        for more in ("", "&seconds=1"):
            status, _, said = served.ask(path + more)
            assert status == 409 and b"tracking is off" in said and b"track=y" in said, (status, said)
        status, _, said = served.ask(f"/debug/pprof/heap?pid={target.pid}")
        assert status == 409 and b"live=y" in said, (status, said)
        assert ddm_json(t, "info", target.pid)["tracking"] is False
        body = served.get(path + "&seconds=1&track=y")
        classes = {stack[0][0] for stack, _ in Profile(saved(t, "x.pb.gz", body)).samples}
        assert "Leaks$Session_[new]" in classes, classes
        end = time.monotonic() + 10
        while ddm_json(t, "info", target.pid)["tracking"] and time.monotonic() < end:
            time.sleep(0.1)
        assert ddm_json(t, "info", target.pid)["tracking"] is False
        assert served.ask(path)[0] == 409  # the figures are those of the request, and old


@test()
def profiles_of_two_seconds_that_overlap_have_both_their_own_time(t):
    with Leaking(t, 60_000, "dump=none,log=error") as target, Served(t) as served:
        path = f"/debug/pprof/allocs?pid={target.pid}&track=y&seconds="
        short = threading.Thread(target=served.get, args=(path + "1",))
        short.start()
        time.sleep(0.5)
        profile = Profile(saved(t, "x.pb.gz", served.get(path + "2")))
        short.join()
        sessions = sum(values["alloc_objects"] for stack, values in profile.samples
                       if stack[0][0] == "Leaks$Session_[new]")
        assert sessions > 1500, sessions  # 1,000 a second


@test()
def a_browser_shows_the_programs_and_follows_them(t):
    with Leaking(t, 60_000, TRACKED) as target, Served(t) as served:
        served.get("/jvms")
        document = document_of(t, f"{served.url}/?token={served.token}")
        row = Elements(document)
        assert f'data-pid="{target.pid}"' in document and "programs" in document or "program" in document
        assert f'href="/report?pid={target.pid}&amp;token={served.token}"' in document, document[-3000:]
        assert ("table", "jvms") in row.by_id
        # Nothing comes from elsewhere, and nothing may.
        _, headers, body = served.ask("/")
        assert "default-src 'none'" in headers["Content-Security-Policy"]
        assert b"http://" not in body and b"https://" not in body and b"//" not in body.replace(b"</", b"")
        targets = {entry["labels"]["__param_pid"]: entry for entry in json.loads(served.get("/targets"))}
        assert targets[str(target.pid)]["targets"] == [f"127.0.0.1:{served.port}"]


@test()
def the_list_keeps_its_rows_and_says_what_is_wrong(t):
    with Leaking(t, 60_000, TRACKED) as target, Served(t) as served:
        saved(t, "list.html", served.get("/"))
        pid = target.pid
    told = run_in_page(t, t.path("list.html"), """
const jvms = JSON.parse(document.getElementById("data").textContent).filter((jvm) => jvm.pid === %d);
const state = document.getElementById("state");
const texts = () => [...document.querySelectorAll("#jvms tbody tr")].map((row) =>
  [...row.cells].filter((at) => !at.hidden).map((at) => at.innerText).join("|"));
show(jvms);
const row = document.querySelector("#jvms tbody tr"), before = texts();
row.querySelector("a").focus();
getSelection().selectAllChildren(row.cells[1]);
const other = (pid, more) => ({...jvms[0], pid, app: "x".repeat(200), ...more});
show([other(1), {...jvms[0], threads: 77}, other(2 ** 22, {answers: false})]);
const told = {before, texts: texts(), same: row === document.querySelectorAll("#jvms tbody tr")[1],
  focused: document.activeElement.textContent, selected: String(getSelection()) === jvms[0].app,
  appWidth: row.cells[1].offsetWidth, page: innerWidth};
show(jvms);
told.after = texts();
const asked = async (answer) => { window.fetch = answer; await follow(); return [state.textContent, getComputedStyle(row.cells[0]).opacity]; };
told.moved = await asked(async () => ({ok: false, status: 401, text: async () => "the token is missing"}));
told.dead = await asked(async () => { throw new TypeError("Failed to fetch"); });
told.again = await asked(async () => ({ok: true, json: async () => jvms}));
return told;""" % pid, width=500, virtual_time=False)
    assert told["same"] and told["focused"] == "page" and told["selected"], told
    assert told["texts"][1].split("|")[6] == "77" and "does not answer" in told["texts"][2], told
    assert len(told["texts"]) == 3 and len(told["before"]) == len(told["after"]) == 1, told
    assert told["appWidth"] < 0.45 * told["page"] + 30, told
    moved, dim = told["moved"]
    assert re.match(r"Open the new address .*; these figures are as of \d\d:\d\d:\d\d$", moved) and float(dim) < 1, told
    assert told["dead"][0].startswith("ddm serve does not answer; these figures are as of "), told
    assert told["again"] == ["1 program", "1"], told


def raw(served, *parts, wait=True):
    """The answer to these bytes, up to its end."""
    with socket.create_connection(("127.0.0.1", served.port), timeout=30) as connection:
        try:
            for part in parts:
                connection.sendall(part)
            if not wait:
                return b""
            answer = b""
            while piece := connection.recv(65536):
                answer += piece
            return answer
        except ConnectionError:
            return b""


@test()
def who_has_no_token_or_comes_from_elsewhere_is_not_answered(t):
    with Served(t) as served:
        for path in ("/", "/metrics", "/debug/pprof/allocs", "/report", "/none"):
            assert served.ask(path, token=False)[0] == 401, path
        assert served.ask("/metrics?token=" + "0" * 32, token=False)[0] == 401
        assert served.ask("/metrics", {"Authorization": "Bearer " + served.token[:-1]})[0] == 401
        assert served.ask("/metrics", {"Authorization": "Basic " + served.token})[0] == 401
        for scheme in ("Bearer ", "bearer ", ""):  # "": as Prometheus asks for /targets
            assert served.ask("/targets", {"Authorization": scheme + served.token}, token=False)[0] == 200, scheme
        assert served.ask("/metrics?token=" + served.token, token=False)[0] == 200
        assert served.ask("/metrics")[0] == 200
        for host in ("evil.example", f"evil.example:{served.port}", "127.0.0.1", f"127.0.0.1:{served.port + 1}"):
            assert served.ask("/metrics", {"Host": host})[0] == 403, host
        for origin in ("http://evil.example", "null", f"https://127.0.0.1:{served.port}",
                       f"http://127.0.0.1:{served.port + 1}", f"http://127.0.0.1:{served.port}.evil.example"):
            assert served.ask("/metrics", {"Origin": origin})[0] == 403, origin
        assert served.ask("/metrics", {"Host": f"localhost:{served.port}",
                                       "Origin": f"http://localhost:{served.port}"})[0] == 200
        for pid in ("127.0.0.1:1", "unix:/tmp/x", "999999999", "%00", "1"):
            status = served.ask(f"/report?pid={pid}")[0]
            assert status in (400, 404), (pid, status)
        assert served.ask("/none")[0] == 404
        assert served.ask("/debug/pprof/profile?seconds=1e9")[0] in (400, 404)
    for address in ("0.0.0.0:0", "127.0.0.1", "127.0.0.1:99999", "no.such.host:0", "scan", "unix:/tmp/x"):
        told = ddm(t, "serve", "--address", address, code=USAGE)
        assert "for this machine alone, at 127.0.0.1:PORT, [::1]:PORT or PORT, from 0 to 65535" in told, told
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        assert "in use" in ddm(t, "serve", "--address", str(taken.getsockname()[1]), code=REFUSED)
    if socket.has_dualstack_ipv6():
        with Served(t, "--address", "[::1]:0") as served:
            assert served.url.startswith("http://[::1]:") and served.ask("/metrics")[0] == 200
    with open(t.path("open"), "w", encoding="utf-8") as file:
        file.write("x" * 32)
    os.chmod(t.path("open"), 0o644)
    assert "0600" in ddm(t, "serve", "--address", "127.0.0.1:0", "--token-file", "open", code=REFUSED)
    with Served(t, "--token-file", "made") as served:
        assert os.stat(t.path("made")).st_mode & 0o777 == 0o600
        with open(t.path("made"), encoding="utf-8") as file:
            assert file.read().strip() == served.token
    with Served(t, "--token-file", "made") as again:
        assert again.token == served.token


@test()
def what_is_no_request_is_refused_and_others_are_answered_meanwhile(t):
    with Served(t) as served:
        host = f"Host: 127.0.0.1:{served.port}\r\nAuthorization: Bearer {served.token}\r\n".encode()
        get = b"GET /metrics HTTP/1.1\r\n" + host
        assert raw(served, get + b"\r\n").startswith(b"HTTP/1.1 200 OK\r\n")
        for bad, status in ((b"\0\1\2\3\r\n\r\n", b"400"), (b"GET http://evil.example/ HTTP/1.1\r\n" + host + b"\r\n", b"400"),
                            (get + b"Host: evil.example\r\n\r\n", b"400"), (get + b"Content-Length: 5\r\n\r\nhello", b"413"),
                            (get + b"Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n", b"413"),
                            (b"GET /%zz HTTP/1.1\r\n" + host + b"\r\n", b"400"),
                            (b"POST /metrics HTTP/1.1\r\n" + host + b"\r\n", b"405"),
                            (b"GET /metrics HTTP/1.0\r\n\r\n", b"403"),
                            (b"GET /" + b"x" * 20_000 + b" HTTP/1.1\r\n" + host + b"\r\n", b"431"),
                            (get + b"X: y\r\n" * 10_000 + b"\r\n", b"431")):
            answer = raw(served, bad)
            assert answer.startswith(b"HTTP/1.1 " + status), (bad[:80], answer[:200])
        # A flood ends with the connection, and whoever says nothing holds up nobody.
        raw(served, *[b"GET /" + b"x" * 65536] * 200)
        silent = [socket.create_connection(("127.0.0.1", served.port)) for _ in range(12)]
        assert served.ask("/metrics")[0] == 200
        for connection in silent:
            connection.close()
        with open(f"/proc/{served.process.pid}/status", encoding="utf-8") as file:
            peak, = [int(line.split()[1]) for line in file if line.startswith("VmHWM:")]
        assert peak < 100_000, f"{peak} KiB"


@test()
def a_program_that_ends_or_hangs_meanwhile_costs_its_own_answer_alone(t):
    with Target(t, "dump=none,log=error") as stays, Served(t) as served:
        with Leaking(t, 60_000, TRACKED) as goes:
            assert goes.pid in metrics_of(served.get("/metrics").decode())["ddm_up"]
            os.kill(goes.pid, signal.SIGSTOP)
            try:
                time.sleep(0.6)
                found = metrics_of(served.get("/metrics").decode())
                assert found["ddm_up"][goes.pid] == 0 and found["ddm_up"][stays.pid] == 1
                assert goes.pid not in found["ddm_threads"]
            finally:
                os.kill(goes.pid, signal.SIGCONT)
            asked = subprocess.Popen(["python3", "-c", f"""
import urllib.request, urllib.error
try:
    urllib.request.urlopen("{served.url}/debug/pprof/allocs?pid={goes.pid}&seconds=60&token={served.token}")
except urllib.error.HTTPError as error:
    print(error.code, error.read().decode())
"""], stdout=subprocess.PIPE, text=True)
            time.sleep(1.5)
            os.kill(goes.pid, signal.SIGKILL)
            said = asked.communicate(timeout=60)[0]
            assert said.startswith("502 "), said
            goes.process.wait()
        time.sleep(0.6)
        found = metrics_of(served.get("/metrics").decode())
        assert goes.pid not in found["ddm_up"] and found["ddm_up"][stays.pid] == 1
        assert served.ask(f"/report?pid={goes.pid}")[0] == 404
