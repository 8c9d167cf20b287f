// ddm serve: figures and profiles of all programs over HTTP, for collectors and for browsers.

#include "command.h"
#include "interrupt.h"
#include "json_values.h"
#include "jvm_figures.h"
#include "serve/http_server.h"
#include "serve/metrics_text.h"
#include "serve/pprof_handlers.h"
#include "serve/serve_access.h"

namespace ddm {
namespace {

struct ServeOptions {
  std::string address = "127.0.0.1:8040";
  std::string token_file;
  std::string access = "user";
};

// The first page: the programs with their live figures, and links to their reports.
constexpr std::string_view kHead = R"(<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>ddm: Java programs</title>
<style>
:root { color-scheme: light dark; }
body { font: 15px/1.5 system-ui, sans-serif; margin: 1.5rem auto; max-width: 72rem; padding: 0 1rem; }
h1 { font-size: 1.25rem; margin: 0 0 .25rem; }
p { margin: .25rem 0 1rem; opacity: .75; }
div { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { text-align: right; padding: .35rem .6rem; border-bottom: 1px solid #8884; white-space: nowrap; }
th { font-weight: 600; }
th.text, td.text { text-align: left; }
td.app { max-width: min(22rem, 40vw); overflow: hidden; text-overflow: ellipsis; font-weight: 600; }
td.off, .old td { opacity: .6; }
a { margin-right: .6rem; }
</style></head><body>
<h1>Java programs with the agent</h1>
<p id="state"></p>
<div><table id="jvms"><thead><tr><th>pid</th><th class="text">program</th><th>allocates</th><th>alive</th>
<th>heap</th><th>collections</th><th>threads</th><th class="text">look</th></tr></thead><tbody></tbody></table></div>
)";

// Names are inserted as text, never as markup.
constexpr std::string_view kScript = R"(
"use strict";
const token = JSON.parse(document.getElementById("token").textContent);
const units = ["B", "KiB", "MiB", "GiB", "TiB"];
function bytes(n) {
  let unit = 0;
  for (; n >= 1024 && unit < units.length - 1; ++unit) n /= 1024;
  return n.toFixed(unit === 0 ? 0 : 1) + " " + units[unit];
}
/* What has not changed is left alone: it may be selected. */
function put(at, text, kind = "", title = "") {
  if (at.textContent !== String(text)) at.textContent = text;
  at.className = kind;
  at.title = title;
}
function link(at, path, pid, text, title) {
  const a = document.createElement("a");
  a.href = path + "?pid=" + pid + (token ? "&token=" + encodeURIComponent(token) : "");
  a.textContent = text;
  a.title = title;
  at.append(a);
}
function newRow(pid) {
  const row = document.createElement("tr");
  row.dataset.pid = pid;
  for (let i = 0; i < 8; ++i) row.insertCell();
  const look = row.cells[7];
  look.className = "text";
  link(look, "/report", pid, "page", "What it has allocated, as a flame graph");
  link(look, "/debug/pprof/allocs", pid, "allocs", "The same for pprof");
  link(look, "/debug/pprof/heap", pid, "heap", "What is alive, for pprof");
  link(look, "/debug/pprof/profile", pid, "cpu", "Where it runs in the next 30 s, for pprof");
  return row;
}
function fill(row, jvm) {
  const [pid, app, rate, alive, heap, collections, threads, look] = row.cells;
  row.dataset.rate = jvm.bytes_per_second ?? "";
  put(pid, jvm.pid);
  put(app, jvm.app, "text app", jvm.app + "\n" + jvm.vm);
  rate.colSpan = jvm.answers ? 1 : 6;
  for (const at of [alive, heap, collections, threads, look]) at.hidden = !jvm.answers;
  if (!jvm.answers) return put(rate, "does not answer", "text off");
  if (jvm.tracking) put(rate, jvm.bytes_per_second === null ? "" : bytes(jvm.bytes_per_second) + "/s");
  else put(rate, "not tracked", "off", "ddm track " + jvm.pid + " on");
  put(alive, jvm.live_bytes === null ? "" : bytes(jvm.live_bytes));
  put(heap, jvm.heap_used_bytes === null ? "" : bytes(jvm.heap_used_bytes) +
    (jvm.heap_max_bytes === null ? "" : " of " + bytes(jvm.heap_max_bytes)));
  put(collections, jvm.collections ?? "");
  put(threads, jvm.threads ?? "");
  look.children[2].hidden = jvm.live_bytes === null;
}
/* Rows stay those of their programs: the keyboard's focus and what is selected stay where they are. */
function show(jvms) {
  const rows = document.querySelector("#jvms tbody");
  const pids = new Set(jvms.map((jvm) => String(jvm.pid)));
  for (const row of [...rows.rows]) if (!pids.has(row.dataset.pid)) row.remove();
  jvms.forEach((jvm, i) => {  /* by pid, as the rows */
    if (rows.rows[i]?.dataset.pid !== String(jvm.pid)) rows.insertBefore(newRow(jvm.pid), rows.rows[i] ?? null);
    fill(rows.rows[i], jvm);
  });
  rows.className = "";
  shownAt = new Date();
  put(document.getElementById("state"), jvms.length === 0
    ? "There are none: start one with -agentlib:ddmagent, or ddm attach PID."
    : jvms.length + (jvms.length === 1 ? " program" : " programs"));
}
async function follow() {
  const state = document.getElementById("state");
  let problem = "";
  try {
    const answer = await fetch("/jvms", token ? { headers: { Authorization: "Bearer " + token } } : {});
    if (answer.ok) {
      show(await answer.json());
      state.dataset.followed = Number(state.dataset.followed ?? 0) + 1;
    } else {
      problem = answer.status === 401 ? "Open the new address that ddm serve has printed"
                                      : "ddm serve refuses: " + (await answer.text()).trim();
    }
  } catch {
    problem = "ddm serve does not answer";
  }
  if (problem) {
    document.querySelector("#jvms tbody").className = "old";
    put(state, problem + "; these figures are as of " + shownAt.toTimeString().slice(0, 8));
  }
  setTimeout(follow, 2000);
}
let shownAt;
show(JSON.parse(document.getElementById("data").textContent));
setTimeout(follow, 2000);
)";

std::string data_element(const char* id, const Json& value) {
  return fmt::format("<script type=\"application/json\" id=\"{}\">{}</script>\n", id,
                     json_in_script(value));
}

// [{pid, app, vm, answers, tracking, bytes_per_second, live_bytes, heap_used_bytes, heap_max_bytes,
// collections, threads}]; null where nothing is known.
Json jvms_json(const std::vector<WatchedJvm>& jvms) {
  return json_list(jvms, [](const WatchedJvm& jvm) -> Json {
    const JvmFigures figures = jvm.figures.value_or(JvmFigures{});
    return {{"pid", jvm.pid},
            {"app", json_text(jvm.app)},
            {"vm", json_text(jvm.vm)},
            {"answers", jvm.figures.has_value()},
            {"tracking", figures.tracking},
            {"bytes_per_second", json_of_rate(jvm.bytes_per_second)},
            {"live_bytes", json_or_null(figures.live_bytes)},
            {"heap_used_bytes", json_or_null(figures.heap_used)},
            {"heap_max_bytes", json_or_null(figures.heap_max)},
            {"collections", json_or_null(figures.collections)},
            {"threads", json_or_null(figures.threads)}};
  });
}

// `token`: for its links and requests; `nonce`: of its script, new for each page.
std::string jvm_list_page(const std::vector<WatchedJvm>& jvms, std::string_view token,
                          std::string_view nonce) {
  return std::string(kHead) + data_element("token", json_text(token)) +
         data_element("data", jvms_json(jvms)) + fmt::format("<script nonce=\"{}\">", nonce) +
         std::string(kScript) + "</script></body></html>\n";
}

// The Content-Security-Policy of the page.
std::string jvm_list_policy(std::string_view nonce) {
  return fmt::format(
      "default-src 'none'; script-src 'nonce-{}'; style-src 'unsafe-inline'; connect-src 'self'; "
      "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      nonce);
}

HttpResponse json_response(const Json& value) {
  return {.type = "application/json", .body = json_line(value) + "\n"};
}

class Site {
 public:
  HttpResponse response(const HttpRequest& request, const HttpServer::Cancelled& cancelled) {
    if (request.method != "GET" && request.method != "HEAD") {
      HttpResponse refused = http_error(405, "only GET and HEAD are answered");
      refused.headers = {{"Allow", "GET, HEAD"}};
      return refused;
    }
    const std::string& path = request.path;
    if (path == "/") return list(request);
    if (path == "/jvms") return json_response(jvms_json(watch_.read()));
    if (path == "/targets") return targets(request);
    if (path == "/metrics") return {.type = kMetricsType, .body = metrics_text(watch_.read())};
    if (path == "/report") return report_page(request, cancelled);
    if (path == "/debug/pprof/allocs") return allocs_profile(request, false, cancelled);
    if (path == "/debug/pprof/heap") return allocs_profile(request, true, cancelled);
    if (path == "/debug/pprof/profile") return cpu_profile(request, cancelled);
    return http_error(404,
                      "there is /, /jvms, /metrics, /targets, /report?pid=, and "
                      "/debug/pprof/allocs, heap and profile?pid=&seconds=");
  }

 private:
  HttpResponse list(const HttpRequest& request) {
    const auto nonce = new_token();
    if (!nonce) return http_error(500, nonce.message());
    return {.type = "text/html; charset=utf-8",
            .body = jvm_list_page(watch_.read(), request.parameter("token"), *nonce),
            .headers = {{"Content-Security-Policy", jvm_list_policy(*nonce)}}};
  }

  // The format of Prometheus' http_sd_configs: one target for each program, all at this server.
  HttpResponse targets(const HttpRequest& request) {
    return json_response(json_list(watch_.read(), [&](const WatchedJvm& jvm) -> Json {
      const std::string pid = std::to_string(jvm.pid);
      return {{"targets", {json_text(*request.host)}},
              {"labels", {{"__param_pid", pid}, {"pid", pid}, {"app", json_text(jvm.app)}}}};
    }));
  }

  JvmWatch watch_{std::chrono::milliseconds(500)};
};

int serve(const ServeOptions& options) {
  const auto address = parse_address(options.address);
  if (!address || address->kind != Address::Kind::kTcp || !is_loopback(*address)) {
    return misused("'" + options.address +
                   "': it listens for this machine alone, at 127.0.0.1:PORT, [::1]:PORT or PORT, "
                   "from 0 to 65535; from elsewhere it is reached through ssh -L, or a proxy that "
                   "knows who may ask");
  }
  const auto token =
      options.token_file.empty() ? new_token() : read_or_create_token(options.token_file);
  if (!token) return refuse(token.message());
  auto listener = Listener::open(*address);
  if (!listener) return refuse(listener.message());
  const ServeAccess access(*token, listener->bound());
  Site site;
  HttpServer server(std::move(*listener), options.access == "any" ? Access::kAny : Access::kUser,
                    [&](const HttpRequest& request, const HttpServer::Cancelled& cancelled) {
                      if (auto refused = access.refusal(request)) return std::move(*refused);
                      return site.response(request, cancelled);
                    });
  catch_interrupts();
  complain("serving on " + access.url());
  server.run(interrupted);
  return kExitOk;
}

}  // namespace

void add_serve(CLI::App& app, Command& chosen) {
  const auto [command, options] = add_command(
      app, chosen, "serve",
      "Serve metrics, profiles and pages of all programs over HTTP, on this machine", serve);
  add_text(command, "--address", options.address,
           "127.0.0.1:PORT, [::1]:PORT or PORT; port 0 = any free one", "ADDRESS");
  add_file(command, "--token-file", options.token_file,
           "File of mode 0600 with the token of the clients, created if missing; by default each "
           "start prints a new token");
  add_choice(command, "--access", options.access, {"user", "any"},
             "Who may connect with the token: user (and root), or any user of this machine", "WHO");
}

}  // namespace ddm
