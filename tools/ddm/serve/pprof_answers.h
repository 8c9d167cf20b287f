// /debug/pprof/...: profiles of a program as pprof and its scrapers fetch them.
//
// Several threads; each question has a connection of its own, so that what it switches on ends with it.
#pragma once

#include "serve/http_server.h"

namespace ddm {

// The program that a request asks for: pid= as in the commands (a part of its name, or nothing where
// there is one), but one with the agent on this machine. The error is for 404.
Result<pid_t> asked_pid(const HttpRequest& request);

// What was allocated: the whole run, or of `seconds=` what came meanwhile. `heap`: what is alive of it
// comes first. `track=y`: tracking is switched on for these seconds where it is off.
HttpAnswer allocs_profile(const HttpRequest& request, bool heap,
                          const HttpServer::GivenUp& given_up);

// What used the CPU in `seconds=`, by default 30, by cpu=samples, which is then as it was before.
HttpAnswer cpu_profile(const HttpRequest& request, const HttpServer::GivenUp& given_up);

// The program's report as a page.
HttpAnswer report_page(const HttpRequest& request, const HttpServer::GivenUp& given_up);

}  // namespace ddm
