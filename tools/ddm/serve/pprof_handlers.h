// /debug/pprof/...: profiles of a program as pprof and its scrapers fetch them.
//
// Several threads. Each request has its own connection to the program, so that what it switches on
// ends with the connection.
#pragma once

#include "serve/http_server.h"

namespace ddm {

// The program in pid=, given as to the commands (a part of its name, or nothing if there is only
// one); it must be on this machine and have the agent. The error is for 404.
Result<pid_t> asked_pid(const HttpRequest& request);

// Allocations of the whole run, or with `seconds=` of these seconds. `heap`: the profile shows live
// objects first. `track=y`: tracking is switched on for these seconds if it is off.
HttpResponse allocs_profile(const HttpRequest& request, bool heap,
                            const HttpServer::Cancelled& cancelled);

// CPU samples (cpu=samples) of `seconds=`, by default 30; the option is restored afterwards.
HttpResponse cpu_profile(const HttpRequest& request, const HttpServer::Cancelled& cancelled);

// The program's report as a page.
HttpResponse report_page(const HttpRequest& request, const HttpServer::Cancelled& cancelled);

}  // namespace ddm
