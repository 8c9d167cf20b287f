// ddm serve: figures and profiles of all programs over HTTP, for collectors and for browsers.

#include "command.h"
#include "interrupt.h"
#include "json_values.h"
#include "jvm_watch.h"
#include "serve/http_server.h"
#include "serve/jvm_list_page.h"
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
