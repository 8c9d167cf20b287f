#include "serve/jvm_list_page.h"

namespace ddm {
namespace {

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
td.app { max-width: 22rem; overflow: hidden; text-overflow: ellipsis; font-weight: 600; }
td.off { opacity: .6; }
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
function cell(row, text, kind) {
  const at = row.insertCell();
  at.textContent = text;
  if (kind) at.className = kind;
  return at;
}
function link(at, path, pid, text, title) {
  const a = document.createElement("a");
  a.href = path + "?pid=" + pid + (token ? "&token=" + encodeURIComponent(token) : "");
  a.textContent = text;
  a.title = title;
  at.append(a);
}
function show(jvms) {
  const rows = document.createElement("tbody");
  for (const jvm of jvms) {
    const row = rows.insertRow();
    row.dataset.pid = jvm.pid;
    row.dataset.rate = jvm.bytes_per_second ?? "";
    cell(row, jvm.pid);
    cell(row, jvm.app, "text app").title = jvm.app + "\n" + jvm.vm;
    if (!jvm.answers) {
      cell(row, "does not answer", "text off").colSpan = 6;
      continue;
    }
    if (jvm.tracking) cell(row, jvm.bytes_per_second === null ? "" : bytes(jvm.bytes_per_second) + "/s");
    else cell(row, "not tracked", "off").title = "ddm track " + jvm.pid + " on";
    cell(row, jvm.live_bytes === null ? "" : bytes(jvm.live_bytes));
    cell(row, jvm.heap_used_bytes === null ? "" : bytes(jvm.heap_used_bytes) +
      (jvm.heap_max_bytes === null ? "" : " of " + bytes(jvm.heap_max_bytes)));
    cell(row, jvm.collections ?? "");
    cell(row, jvm.threads ?? "");
    const look = cell(row, "", "text");
    link(look, "/report", jvm.pid, "page", "What it has allocated, as a flame graph");
    link(look, "/debug/pprof/allocs", jvm.pid, "allocs", "The same for pprof");
    if (jvm.live_bytes !== null) link(look, "/debug/pprof/heap", jvm.pid, "heap", "What is alive, for pprof");
    link(look, "/debug/pprof/profile", jvm.pid, "cpu", "Where it runs in the next 30 s, for pprof");
  }
  document.querySelector("#jvms tbody").replaceWith(rows);
  document.getElementById("state").textContent = jvms.length === 0
    ? "There are none: start one with -agentlib:ddmagent, or ddm attach PID."
    : jvms.length + (jvms.length === 1 ? " program" : " programs");
}
async function follow() {
  const state = document.getElementById("state");
  try {
    const answer = await fetch("/jvms", token ? { headers: { Authorization: "Bearer " + token } } : {});
    if (!answer.ok) throw new Error(await answer.text());
    show(await answer.json());
    state.dataset.followed = Number(state.dataset.followed ?? 0) + 1;
  } catch (problem) {
    state.textContent = "ddm serve does not answer: " + problem.message;
  }
  setTimeout(follow, 2000);
}
show(JSON.parse(document.getElementById("data").textContent));
setTimeout(follow, 1000);
)";

std::string data_element(const char* id, const Json& value) {
  return fmt::format("<script type=\"application/json\" id=\"{}\">{}</script>\n", id,
                     json_in_script(value));
}

}  // namespace

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

std::string jvm_list_page(const std::vector<WatchedJvm>& jvms, std::string_view token,
                          std::string_view nonce) {
  return std::string(kHead) + data_element("token", json_text(token)) +
         data_element("data", jvms_json(jvms)) + fmt::format("<script nonce=\"{}\">", nonce) +
         std::string(kScript) + "</script></body></html>\n";
}

std::string jvm_list_policy(std::string_view nonce) {
  return fmt::format(
      "default-src 'none'; script-src 'nonce-{}'; style-src 'unsafe-inline'; connect-src 'self'; "
      "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      nonce);
}

}  // namespace ddm
