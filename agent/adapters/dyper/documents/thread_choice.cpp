#include "adapters/dyper/documents/thread_choice.h"

#include "adapters/dyper/documents/xml_reader.h"

namespace ddm {

void ThreadChoice::change(pugi::xml_node threads, const std::unordered_set<std::int64_t>& living,
                          DyperErrors& errors) {
  for (const pugi::xml_node thread : threads.children("THREAD")) {
    const std::int64_t id = thread.attribute("ID").as_llong();
    if (id <= 0 || (choices_.size() >= kMost && !choices_.contains(id))) {
      fail(errors, "ID", attribute_of(thread, "ID"),
           "a thread's ID is a number from 1 on, as SHOWSTACK has it");
      continue;
    }
    if (!living.empty() && !living.contains(id) && !choices_.contains(id)) {
      fail(errors, "ID", std::to_string(id),
           "no thread that lives has this ID; SHOWSTACK has those that do");
      continue;
    }
    const bool ignore = flag_of(thread, "IGNORE", false), use = flag_of(thread, "USE", false);
    if (ignore || use) {
      choices_[id] = !ignore;
    } else {
      choices_.erase(id);
    }
  }
}

bool ThreadChoice::uses(std::int64_t thread_id, bool by_default) const {
  const auto found = choices_.find(thread_id);
  return found != choices_.end() ? found->second : by_default;
}

ChosenThreads ThreadChoice::chosen(bool by_default) const {
  ChosenThreads chosen{{}, by_default};
  for (const auto& [id, used] : choices_) {
    if (used != by_default) chosen.ids.push_back(id);
  }
  return chosen;
}

}  // namespace ddm
