#include "program/option_loans.h"

#include <algorithm>
#include <string_view>

#include "core/log.h"
#include "wire/chunks/lent_options.h"

namespace ddm {
namespace {

void append_to(std::string& options, const std::string& option, const std::string& value) {
  options += (options.empty() ? "" : ",") + option + "=" + value;
}

}  // namespace

void OptionLoans::add_chunks(Dispatcher& dispatcher) {
  dispatcher.offer({kLentOptionsFeature});
  dispatcher.add(LentOptionsRequest::kType, Lane::kSlow, this, &OptionLoans::lend);
}

Result<OptionLoans::Values> OptionLoans::values_in(const std::string& options) {
  Values values;
  std::string_view rest = options;
  while (!rest.empty()) {
    const std::string_view one = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(one.size() + 1, rest.size()));
    const std::size_t equals = one.find('=');
    const std::string_view name = one.substr(0, equals);
    if (equals == std::string_view::npos || std::ranges::find(kLendable, name) == kLendable.end()) {
      return Error{
          fmt::format("\"{}\": for a while there are {}", one, fmt::join(kLendable, ", "))};
    }
    values.emplace_back(name, one.substr(equals + 1));
  }
  return values;
}

const OptionLoans::Lent* OptionLoans::lent_to_another(std::uint64_t session,
                                                      const std::string& option) const {
  for (const auto& [other, options] : lent_) {
    const auto found = options.find(option);
    if (other != session && found != options.end()) return &found->second;
  }
  return nullptr;
}

void OptionLoans::lend(const Request& request, Reply reply) {
  const auto wanted = decode<LentOptionsRequest>(request.data);
  if (!wanted) return reply.fail_bad_data("str options, str what undoes them");
  const auto options = values_in(wanted->options);
  if (!options) return reply.fail(FailCode::kRefused, options.message());
  auto undoing = values_in(wanted->undoing);
  if (!undoing) return reply.fail(FailCode::kRefused, undoing.message());
  for (auto& [option, value] : *undoing) {
    if (!value.empty()) continue;
    value = present_(option);
    if (!value.empty()) continue;
    return reply.fail(FailCode::kRefused, fmt::format("{}= is undone by a value only", option));
  }
  const std::uint64_t session = request.session->id();
  if (options->empty()) {
    undo(context_.jni(), session);
    return reply.send(LentOptionsReply{});
  }
  ByOption lent;
  std::string to_load;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [option, value] : *options) {
      if (const Lent* there = lent_to_another(session, option)) {
        if (there->value != value) {
          return reply.fail(FailCode::kRefused,
                            fmt::format("another server has {}={} just now", option, there->value));
        }
        lent[option] = *there;
        continue;
      }
      append_to(to_load, option, value);
      // What was lent to this session before is undone to its value before that. (The load makes
      // apply_options() drop it.)
      if (const auto before = lent_[session].find(option); before != lent_[session].end()) {
        lent[option] = {value, before->second.undoing};
        continue;
      }
      const auto back =
          std::ranges::find(*undoing, option, [](const auto& one) { return one.first; });
      const auto over = undone_.find(option);
      if (back != undoing->end()) {
        lent[option] = {value, back->second};
      } else if (over != undone_.end()) {
        lent[option] = {value, over->second};
      }
    }
  }
  Result<std::string> said = std::string();
  if (!to_load.empty()) said = load_(context_.jni(), to_load);
  if (!said) return reply.fail(FailCode::kRefused, said.message());
  {
    const std::lock_guard lock(mutex_);
    lent_[session].merge(lent);
  }
  if (!request.session->is_open()) return session_ended(request.session);
  reply.send(LentOptionsReply{std::move(*said)});
}

// Also called for the load of lent options, which are recorded only afterwards.
void OptionLoans::apply_options(JNIEnv*, const GivenOptions& given) {
  const std::lock_guard lock(mutex_);
  const auto is_given = [&given](const auto& one) { return given.has(one.first); };
  for (auto& [session, options] : lent_) std::erase_if(options, is_given);
  std::erase_if(undone_, is_given);
}

void OptionLoans::session_ended(const SessionPtr& session) {
  {
    const std::lock_guard lock(mutex_);
    if (!lent_.contains(session->id())) return;
  }
  context_.service.slow().post([this, id = session->id()](JNIEnv* jni) { undo(jni, id); });
}

void OptionLoans::undo(JNIEnv* jni, std::uint64_t session) {
  std::string to_load;
  GivenOptions undone;
  ByOption over;
  {
    const std::lock_guard lock(mutex_);
    const auto at = lent_.find(session);
    if (at == lent_.end()) return;
    for (const auto& [option, lent] : at->second) {
      if (lent_to_another(session, option) != nullptr) continue;
      append_to(to_load, option, lent.undoing);
      undone.names.push_back(option);
    }
    over = std::move(at->second);
    lent_.erase(at);
  }
  if (to_load.empty()) return;
  const auto loaded = load_(jni, to_load);
  if (!loaded) log_error("{}: {}", to_load, loaded.message());
  ended_(undone);
  {
    const std::lock_guard lock(mutex_);  // the load has given these options
    for (const std::string& option : undone.names) {
      if (loaded) undone_[option] = over.at(option).undoing;
    }
  }
  log_info("what a server wanted for a while is over: {}", to_load);
}

}  // namespace ddm
