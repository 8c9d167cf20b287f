// OPTS: options lent to a server's connection. When it ends, in any way, they are undone, except those
// that another connection holds, too. Options given by a load of the agent meanwhile belong to the
// program and stay.
//
// Options are loaded and undone on the slow lane.
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "core/feature.h"
#include "core/result.h"
#include "wire/handler_context.h"

namespace ddm {

class OptionLoans final : public Feature {
 public:
  // Applies an option string like a further load of the agent; returns what was logged meanwhile.
  using Load = std::function<Result<std::string>(JNIEnv*, const std::string& options)>;
  // The value of an option before a load; "" for one whose value is not told. Called without the lock.
  using Present = std::function<std::string(const std::string& option)>;
  using Ended = std::function<void(const GivenOptions& undone)>;

  OptionLoans(const HandlerContext& context, Load load, Present present, Ended ended)
      : context_(context),
        load_(std::move(load)),
        present_(std::move(present)),
        ended_(std::move(ended)) {}

  void add_chunks(Dispatcher& dispatcher) override;
  void apply_options(JNIEnv* jni, const GivenOptions& given) override;
  void session_ended(const SessionPtr& session) override;

 private:
  struct Lent {
    std::string value, undoing;
  };
  using ByOption = std::map<std::string, Lent>;
  using Values = std::vector<std::pair<std::string, std::string>>;

  static Result<Values> values_in(const std::string& options);
  void lend(const Request& request, Reply reply);
  void undo(JNIEnv* jni, std::uint64_t session);
  // Lock held. Null: no other connection has this option.
  const Lent* lent_to_another(std::uint64_t session, const std::string& option) const;

  const HandlerContext& context_;
  const Load load_;
  const Present present_;
  const Ended ended_;
  std::mutex mutex_;
  std::map<std::uint64_t, ByOption> lent_;  // by session
  // What undid an option whose last loan is over, until a load gives the option again: a server that
  // saw it on just before sends nothing that undoes it.
  std::map<std::string, std::string> undone_;
};

}  // namespace ddm
