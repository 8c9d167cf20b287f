#include "adapters/dyper/dyper.h"

#include <fmt/format.h>

#include <atomic>

#include "core/log.h"
#include "wire/chunks/bytes.h"

namespace ddm {
namespace {

constexpr ChunkType kDyperChunk = chunk_type("DYPR");

Chunk chunk_with(std::string_view document) {
  ByteWriter out;
  out.str(document);
  return {kDyperChunk, out.take()};
}

// "START" and "END" of a run.
std::string told(const char* what, const DyperIdentity& self) {
  XmlWriter xml;
  return xml.open("DYPER").attribute(what, self.text()).close().take();
}

std::string greeting(const DyperIdentity& self) {
  return framed_message("CONNECT " + self.text()) + framed_message(told("START", self));
}

// A peer's document, which gets one reply: from the thread that answers commands, or a refusal.
class OpenDocument final : public OpenRequest {
 public:
  OpenDocument(DyperPeerPtr peer, std::string text, const DyperIdentity& self)
      : peer_(std::move(peer)), text_(std::move(text)), self_(self) {}

  const std::string& text() const { return text_; }
  bool answered() const override { return answered_; }
  void answer(std::string_view document) {
    if (!answered_.exchange(true)) peer_->answer(document, text_.size());
  }
  void refuse(std::string_view reason) override { answer(busy_reply(text_, self_, reason)); }

 private:
  const DyperPeerPtr peer_;
  const std::string text_;
  const DyperIdentity& self_;
  std::atomic<bool> answered_{false};
};

}  // namespace

Dyper::Dyper(const HandlerContext& context, const DyperOptions& options, bool access_any,
             Stacks& stacks, ReportAssembly& reports, HeapDumper& heap_dumper,
             SamplerThread& sampler, HitBudget& budget)
    : context_(context),
      options_(options),
      access_any_(access_any),
      self_(DyperIdentity::of_this_process()),
      monitor_(context.jvmti, sampler, stacks, reports, self_.text(),
               [this](const std::string& document) { send(document); }),
      commands_(context.jvmti, self_, monitor_, heap_dumper, budget, options.modes_file) {}

void Dyper::vm_live(JNIEnv* jni, bool) {
  if (const auto fault = commands_.read_modes_early()) {
    log_error("dypatch_modes={}: {}; each MODEL fails until it can be read", options_.modes_file,
              fault->message);
  }
  if (!options_.address.empty()) context_.service.serves_dyper_at(open(jni));
}

// The address that clients connect to; "" = none.
std::string Dyper::open(JNIEnv* jni) {
  const DyperAddress where =
      *parse_dyper_address(options_.address);  // the option parser has checked
  DyperPeer::Settings peers;
  peers.access = access_any_ ? Access::kAny : Access::kUser;
  peers.greeting = greeting(self_);
  peers.log = log_of_server;
  peers.free = [this](SendQueue::Leftovers gone) {
    context_.service.slow().post([gone = std::move(gone)](JNIEnv*) {});
  };
  peers.on_document = [this](const DyperPeerPtr& peer, std::string document) {
    const auto open = std::make_shared<OpenDocument>(peer, std::move(document), self_);
    const bool posted = context_.service.slow().post([this, open](JNIEnv* on_thread) {
      if (!open->answered()) open->answer(commands_.answer(on_thread, open->text()));
    });
    if (posted) context_.service.answered_later(open);
  };
  std::string error = context_.service.start_lanes(jni) ? "" : "no thread could be started";
  auto loop = context_.service.io();
  if (!loop) error = loop.message();
  if (error.empty()) {
    auto door = open_dyper_door(where, std::move(peers), *loop);
    if (door) {
      const std::lock_guard lock(mutex_);
      loop_ = *loop;
      door_ = *door;
    } else {
      error = door.message();
    }
  }
  if (!error.empty()) {
    log_error("dyper={}: {}; the program runs on without DYPER", options_.address, error);
    return "";
  }
  if (where.connect_out) return "";
  const std::string bound = to_string(door_->bound());
  announce(fmt::format("pid {} serves DYPER on {}", self_.pid, bound));
  return bound;
}

void Dyper::add_chunks(Dispatcher& dispatcher) {
  dispatcher.add(kDyperChunk, Lane::kSlow, [this](const Request& request, Reply reply) {
    ByteReader in(request.data);
    const std::string document = in.str();
    if (!in.ok()) return reply.fail_bad_data("str document");
    {
      const std::lock_guard lock(mutex_);
      std::erase_if(sessions_, [](const auto& one) { return one.expired(); });
      sessions_.insert(request.session);  // it receives messages from now on
    }
    reply.send(chunk_with(commands_.answer(context_.jni(), document)));
  });
}

void Dyper::send(const std::string& document) {
  Sessions sessions;
  std::shared_ptr<Door> door;
  {
    const std::lock_guard lock(mutex_);
    sessions = sessions_;
    door = door_;
  }
  if (door) send_to_all(*door, framed_message(document));
  for (const auto& one : sessions) {
    const SessionPtr session = one.lock();
    if (session && session->is_open() && session->has_room()) {
      session->send_event(chunk_with(document));
    }
  }
}

void Dyper::end() {
  const Chunk last = chunk_with(told("END", self_));
  {
    const std::lock_guard lock(mutex_);
    for (const auto& one : sessions_) {
      if (const SessionPtr session = one.lock()) session->send_event(last);
    }
  }
  commands_.close();
}

// After the answer to the slow lane's current request.
void Dyper::end_after_servers() {
  if (!door_) return;
  send_to_all(*door_, framed_message(told("END", self_)), /*also_full=*/true);
  loop_->remove(*door_);
}

}  // namespace ddm
