#include "reports/report_handlers.h"

#include <unistd.h>

#include <algorithm>
#include <exception>
#include <initializer_list>

#include "core/exit_limits.h"
#include "core/new_file.h"
#include "report/below_method.h"
#include "wire/chunks/packet.h"

namespace ddm {
namespace {

// Longer than any path, and than names of methods are. A longer one would be kept, copied for each
// report, and compared to every method.
constexpr std::size_t kLongestText = 4096;  // bytes

bool refuse_long(std::initializer_list<std::string_view> texts, Reply& reply) {
  for (const std::string_view text : texts) {
    if (text.size() <= kLongestText) continue;
    reply.fail(FailCode::kRefused, "a format, path or method has at most " +
                                       std::to_string(kLongestText) + " bytes, not " +
                                       std::to_string(text.size()));
    return true;
  }
  return false;
}

}  // namespace

ReportHandlers::ReportHandlers(const HandlerContext& context, ReportAssembly& assembly,
                               FollowedObjects& followed)
    : context_(context),
      assembly_(assembly),
      followed_(followed),
      thread_(context.jvmti, "ddmagent-requested") {
  thread_.end_when_idle();
}

void ReportHandlers::add_to(Dispatcher& dispatcher) {
  dispatcher.offer({kReportFeature});
  // On the slow lane: earlier switch requests of the same server are complete then.
  dispatcher.add(ReportRequest::kType, Lane::kSlow,
                 [this](const Request& request, Reply reply) { ask(request, std::move(reply)); });
  dispatcher.add(
      ReportAtEndRequest::kType, Lane::kSlow,
      [this](const Request& request, Reply reply) { ask_at_end(request, std::move(reply)); });
}

void ReportHandlers::ask_at_end(const Request& request, Reply reply) {
  const auto wanted = decode<ReportAtEndRequest>(request.data);
  if (!wanted) return reply.fail_bad_data("str path");
  if (refuse_long({wanted->path, wanted->below}, reply)) return;
  const std::string& path = wanted->path;
  if (!path.empty()) {
    if (path.front() != '/' || !report_format_of(path)) {
      return reply.fail(FailCode::kRefused, "an absolute path that ends like a report is needed");
    }
    if (const std::string obstacle = new_file_obstacle(path); !obstacle.empty()) {
      return reply.fail(FailCode::kRefused, obstacle);
    }
  }
  {
    const std::lock_guard lock(mutex_);
    if (path.empty()) {
      at_end_.erase(request.session);
    } else if (!closing_ && request.session->is_open()) {
      at_end_[request.session] = *wanted;
    }
  }
  reply.send_empty();
}

void ReportHandlers::disconnected(const SessionPtr& session) {
  const std::lock_guard lock(mutex_);
  if (!closing_) at_end_.erase(session);
}

std::vector<ReportAtEndRequest> ReportHandlers::paths_at_end() const {
  const std::lock_guard lock(mutex_);
  std::vector<ReportAtEndRequest> wanted;
  for (const auto& [session, one] : at_end_) {
    if (access(one.path.c_str(), F_OK) != 0) wanted.push_back(one);
  }
  return wanted;
}

std::optional<ReportHandlers::Content> ReportHandlers::content_of(std::string_view format) {
  Content content;
  if (format == kSummaryFormat) return content;
  content.sites = format == kSitesFormat;
  content.live = format == kLiveFormat;
  content.time = format == kTimeFormat;
  content.threads = format == kRecentThreadsFormat;
  if (content.sites || content.live || content.time || content.threads) return content;
  content.recent = format.starts_with(kRecentPrefix);
  if (content.recent) format.remove_prefix(kRecentPrefix.size());
  content.format = report_format_of("." + std::string(format));
  return content.format ? std::optional(content) : std::nullopt;
}

void ReportHandlers::ask(const Request& request, Reply reply) {
  const auto wanted = decode<ReportRequest>(request.data);
  if (!wanted) return reply.fail_bad_data("str format");
  if (refuse_long({wanted->format, wanted->below}, reply)) return;
  auto content = content_of(wanted->format);
  if (!content) {
    return reply.fail(
        FailCode::kRefused,
        "a report is html, txt, jsonl, collapsed, pb.gz, hprof.txt, one of these with recent/ in "
        "front, sites.jsonl, dhat.json, firefox.json, recent/threads, summary, sites, live or "
        "time, not " +
            wanted->format);
  }
  content->below = wanted->below;
  {
    const std::lock_guard lock(mutex_);
    waiting_.push_back({request.session, *content, std::move(reply)});
    if (waiting_.size() > 1) return;  // a task is already scheduled
  }
  const std::string error =
      thread_.run_soon(context_.jni(), [this](JNIEnv* jni) { answer_all(jni); });
  if (error.empty()) return;
  const std::lock_guard lock(mutex_);
  for (Waiting& one : waiting_) one.reply.fail(FailCode::kRefused, error);
  waiting_.clear();
}

void ReportHandlers::answer_all(JNIEnv* jni) {
  std::map<Content, std::vector<Waiting>> alike;
  {
    const std::lock_guard lock(mutex_);
    for (Waiting& one : waiting_) alike[one.content].push_back(std::move(one));
    waiting_.clear();
  }
  for (auto& [content, waiting] : alike) answer(jni, content, waiting);
}

void ReportHandlers::answer(JNIEnv* jni, const Content& content,
                            std::vector<Waiting>& waiting) const {
  try {
    auto report = packed_report(jni, content, waiting);
    for (Waiting& one : waiting) {
      if (report) {
        one.reply.send(*report);
      } else {
        const bool lacks =
            content.live ||
            (content.format && (needs_live(*content.format) || needs_sites(*content.format)));
        one.reply.fail(lacks ? FailCode::kRefused : FailCode::kTooBig, report.message());
      }
    }
  } catch (const std::exception& failure) {
    for (Waiting& one : waiting) one.reply.fail(FailCode::kInternal, failure.what());
  }
}

Result<Chunk> ReportHandlers::packed_report(JNIEnv* jni, const Content& content,
                                            const std::vector<Waiting>& waiting) const {
  ReportPacker packer(kMaxOutgoingPacket - (std::size_t{1} << 20));
  const auto wanted = [&] {
    return !closing_ && std::ranges::any_of(waiting, [](const Waiting& one) {
      return one.session->is_open() && one.reply.wanted();
    });
  };
  const ReportSink sink = [&](std::string_view piece) { return wanted() && packer.add(piece); };
  if (wanted()) {
    std::optional<ReportData> made = assembly_.report(jni, "request");
    if (!made) return Error{"allocation tracking is just being switched"};
    ReportData& data = *made;
    if (content.recent) {
      data.sites = {};
      data.summary.live.reset();
      data.summary.sites_missing = "it is of the recent records alone";
    }
    if (!content.below.empty()) keep_below(data, content.below);
    if (!data.summary.live && (content.live || (content.format && needs_live(*content.format)))) {
      if (content.recent) return Error{"recent records alone do not tell what is alive"};
      const std::string why = followed_.why_none();
      return Error{why.empty() ? "what is alive is followed since a moment ago: ask again" : why};
    }
    if (content.format && !lacks_for(*content.format, data).empty()) {
      return Error{content.recent ? "recent records alone have no sites"
                                  : "no sites are counted: " + data.summary.sites_missing};
    }
    if (content.format) {
      report_as(*content.format, data, sink);
    } else if (content.sites) {
      site_list(data, sink);
    } else if (content.live) {
      live_list(data, sink);
    } else if (content.time) {
      time_lines(data, sink);
    } else if (content.threads) {
      recent_threads(data, sink);
    } else {
      summary_line(data, sink);
    }
  }
  if (!wanted()) return Error{"nobody is left to answer"};
  return packer.finish();  // large reports are stored in one file for all sessions
}

void ReportHandlers::begin_close() {
  {
    const std::lock_guard lock(mutex_);
    std::erase_if(at_end_, [](const auto& one) { return !one.first->is_open(); });
    closing_ = true;
  }
  thread_.stop(std::chrono::milliseconds::zero());
}

void ReportHandlers::close() { thread_.stop(exit_limits::kRequestLimit); }

}  // namespace ddm
