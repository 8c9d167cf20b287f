#include "dyper/dyper.h"

#include <fmt/format.h>

#include <algorithm>

#include "ddm/bytes.h"
#include "jvm/exit_limits.h"
#include "log.h"

namespace ddm {
namespace {

constexpr ChunkType kDyperChunk = chunk_type("DYPR");

Chunk chunk_with(std::string_view document) {
  ByteWriter out;
  out.str(document);
  return {kDyperChunk, out.take()};
}

// CONNECT, and the message that a run has begun.
std::string greeting(const DyperIdentity& self) {
  XmlWriter start;
  start.open("DYPER").attribute("START", self.text()).close();
  return framed_message("CONNECT " + self.text()) + framed_message(start.take());
}

std::string farewell(const DyperIdentity& self) {
  XmlWriter end;
  return end.open("DYPER").attribute("END", self.text()).close().take();
}

}  // namespace

Dyper::Dyper(jvmtiEnv* jvmti, Tracking* tracking, ChunkHandlers& handlers, SamplerThread& sampler,
             HitBudget& budget, std::string modes_file)
    : self_(DyperIdentity::of_this_process()),
      monitor_(jvmti, sampler, tracking, self_.text(),
               [this](const std::string& document) { send(document); }),
      commands_(jvmti, self_, monitor_, handlers.heap_dumper(), budget, std::move(modes_file)),
      thread_(jvmti, "ddmagent-dyper") {}

std::string Dyper::open(JNIEnv* jni, const Options& options) {
  if (options.dyper.empty()) return "";
  const DyperAddress where = *parse_dyper_address(options.dyper);  // the option parser has checked
  DyperServer::Settings settings;
  settings.address = where.address;
  settings.connect_out = where.connect_out;
  settings.access = options.access_any ? Access::kAny : Access::kUser;
  settings.greeting = greeting(self_);
  settings.log = log_of_server;
  settings.on_document = [this](const DyperPeerPtr& peer, std::string document) {
    thread_.post([this, peer, text = std::move(document)](JNIEnv* on_thread) {
      peer->answer(commands_.answer(on_thread, text));
    });
  };
  std::string error = thread_.start(jni);
  if (error.empty()) {
    auto server = DyperServer::start(std::move(settings));
    if (server) {
      const std::lock_guard lock(mutex_);
      server_ = std::move(*server);
    } else {
      error = server.message();
    }
  }
  if (!error.empty()) {
    log_error("dyper={}: {}; the program runs on without DYPER", options.dyper, error);
    return "";
  }
  if (where.connect_out) return "";
  const std::string bound = to_string(server_->bound_address());
  write_stderr(fmt::format("ddmagent: pid {} serves DYPER on {}\n", self_.pid, bound));
  return bound;
}

void Dyper::add_to(Dispatcher& dispatcher, const HandlerContext& context) {
  dispatcher.add(kDyperChunk, Lane::kQuick, [this, context](const Request& request, Reply reply) {
    const std::string error = thread_.start(context.jni());
    if (!error.empty()) return reply.fail(FailCode::kRefused, error);
    take(request, std::move(reply));
  });
}

void Dyper::take(const Request& request, Reply reply) {
  ByteReader in(request.data);
  const std::string document = in.str();
  if (!in.ok()) return reply.fail_bad_data("str document");
  {
    const std::lock_guard lock(mutex_);
    std::erase_if(sessions_, [](const auto& one) { return one.expired(); });
    const bool known = std::any_of(sessions_.begin(), sessions_.end(),
                                   [&](const auto& one) { return one.lock() == request.session; });
    if (!known) sessions_.push_back(request.session);
  }
  const auto answer = std::make_shared<Reply>(std::move(reply));
  thread_.post([this, document, answer](JNIEnv* jni) {
    answer->send(chunk_with(commands_.answer(jni, document)));
  });
}

void Dyper::send(const std::string& document) {
  std::vector<std::weak_ptr<Session>> sessions;
  DyperServer* server = nullptr;
  {
    const std::lock_guard lock(mutex_);
    sessions = sessions_;
    server = server_.get();
  }
  if (server != nullptr) server->broadcast(framed_message(document));
  for (const auto& one : sessions) {
    const SessionPtr session = one.lock();
    if (session && session->is_open() && session->has_room()) {
      session->send_event(chunk_with(document));
    }
  }
}

void Dyper::close() {
  const std::string last = farewell(self_);
  {
    const std::lock_guard lock(mutex_);
    for (const auto& one : sessions_) {
      if (const SessionPtr session = one.lock()) session->send_event(chunk_with(last));
    }
  }
  commands_.close();
  thread_.stop(exit_limits::kRequestLimit);
  if (server_) server_->stop(framed_message(last));
}

}  // namespace ddm
