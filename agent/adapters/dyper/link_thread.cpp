#include "adapters/dyper/link_thread.h"

#include <exception>
#include <iterator>
#include <memory>
#include <utility>

namespace ddm {
namespace {

// Owns its data, since ask() may have returned before the answer arrives.
struct Question {
  bci::PatchPlan plan;
  std::set<std::string> classes;
  LinkedPlan linked;
  DyperErrors errors;

  void answer(jvmtiEnv* jvmti, JNIEnv* jni) {
    try {
      linked = linked_plan(jvmti, jni, plan, classes, errors);
    } catch (const std::exception& failure) {  // no memory
      linked = {without_calls_of_the_program(plan), nullptr};
      errors.clear();
      report_left_out(plan, classes, failure.what(), errors);
    }
  }
};

std::string why_not(SideThread::Outcome outcome) {
  switch (outcome) {
    case SideThread::Outcome::kBusy:
      return "a class loader of the JDK has not answered yet";
    case SideThread::Outcome::kGoesOn:
      return "a class loader of the JDK has not answered within 3 s";
    default:
      return "class loaders cannot be asked now";
  }
}

}  // namespace

LinkedPlan LinkThread::check(JNIEnv* jni, const bci::PatchPlan& plan,
                             const std::set<std::string>& classes, DyperErrors& errors) {
  if (!calls_the_program(plan)) return {plan, nullptr};
  const auto question = std::make_shared<Question>();
  question->plan = plan;
  question->classes = classes;
  const SideThread::Outcome outcome = thread_.run(
      jni, [question, jvmti = jvmti_](JNIEnv* on_thread) { question->answer(jvmti, on_thread); });
  if (outcome != SideThread::Outcome::kDone) {
    report_left_out(plan, classes, why_not(outcome), errors);
    return {without_calls_of_the_program(plan), nullptr};
  }
  errors.insert(errors.end(), std::make_move_iterator(question->errors.begin()),
                std::make_move_iterator(question->errors.end()));
  return std::move(question->linked);
}

}  // namespace ddm
