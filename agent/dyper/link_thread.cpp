#include "dyper/link_thread.h"

#include <condition_variable>
#include <exception>
#include <iterator>
#include <mutex>
#include <utility>

namespace ddm {

// Whoever asks may have gone when the answer comes.
struct LinkThread::Question {
  bci::PatchPlan plan;
  std::set<std::string> classes;

  std::mutex mutex;  // of what follows
  std::condition_variable answered;
  bool done = false;
  LinkedPlan linked;
  std::vector<DyperError> errors;

  void answer(jvmtiEnv* jvmti, JNIEnv* jni) {
    LinkedPlan found;
    std::vector<DyperError> told;
    try {
      found = linked_plan(jvmti, jni, plan, classes, told);
    } catch (const std::exception& failure) {  // no memory
      found = {without_calls_of_the_program(plan), nullptr};
      tell_left_out(plan, classes, failure.what(), told);
    }
    const std::lock_guard lock(mutex);
    linked = std::move(found);
    errors = std::move(told);
    done = true;
    answered.notify_all();
  }
};

LinkedPlan LinkThread::ask(JNIEnv* jni, const bci::PatchPlan& plan,
                           const std::set<std::string>& classes, std::vector<DyperError>& errors) {
  if (!calls_the_program(plan)) return {plan, nullptr};
  const auto refuse = [&](const std::string& why) {
    tell_left_out(plan, classes, why, errors);
    return LinkedPlan{without_calls_of_the_program(plan), nullptr};
  };
  if (last_) {
    const std::lock_guard lock(last_->mutex);
    if (!last_->done) return refuse("a class loader of the program has not answered yet");
  }
  if (std::string error = thread_.start(jni); !error.empty()) return refuse(error);
  const auto question = last_ = std::make_shared<Question>();
  question->plan = plan;
  question->classes = classes;
  const bool posted = thread_.post(
      [question, jvmti = jvmti_](JNIEnv* on_thread) { question->answer(jvmti, on_thread); });
  std::unique_lock lock(question->mutex);
  if (!posted) {
    question->done = true;
    return refuse("the program is ending");
  }
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (!question->answered.wait_for(lock, kGlance, [&] { return question->done; })) {
    if (!closing_ && std::chrono::steady_clock::now() < end) continue;
    return refuse("a class loader of the program has not answered within " +
                  std::to_string(kPatience.count()) + " s");
  }
  errors.insert(errors.end(), std::make_move_iterator(question->errors.begin()),
                std::make_move_iterator(question->errors.end()));
  return std::move(question->linked);
}

}  // namespace ddm
