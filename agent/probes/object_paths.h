// What the comparisons of conditions lead to from an object: its fields by name, elements of arrays
// (`arg1.items[3].price > 5`). Reads them by JNI and JVMTI: no code of the program runs, and no
// class is loaded.
//
// holds() runs on the program's threads, in the middle of their code, and takes no lock. What is
// known of a class is kept for the process's life, by weak references.
#pragma once

#include <jvmti.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "probes/plans/probe_condition.h"

namespace ddm {

class ObjectPaths {
 public:
  ObjectPaths();

  // Once is enough.
  void open(jvmtiEnv* jvmti) { jvmti_.store(jvmti, std::memory_order_release); }

  // Gives a comparison with steps its number, the same to equal ones. False: there are too many.
  bool number(ProbeComparison& comparison);
  // The comparison with that number. False: it does not hold, or null, a missing field or an index
  // out of range is on the way. `from` is not null.
  bool holds(JNIEnv* jni, jobject from, std::int32_t number) noexcept;
  // Why the comparison with that number could not hold since it was last given out: one sentence
  // for each step that led nowhere, by the first class that showed it, and one if there were
  // values, yet none of a kind that is compared with the right side.
  std::set<std::string> notes(std::int32_t number) const;

 private:
  static constexpr std::size_t kMostComparisons = 4096;
  static constexpr std::size_t kBuckets = 64;
  static constexpr int kMostClasses = 100;  // kept of one step; of others each hit asks anew

  enum class What : std::uint8_t { kMissing, kField, kElement, kLength, kTextLength, kSelf };
  // How a step is made from objects of one class.
  struct Way {
    What what = What::kMissing;
    char type = 'L';  // of the field or element, the first letter of its descriptor
    jfieldID field = nullptr;
    std::string class_name;
    jweak of = nullptr;
    const Way* next = nullptr;
  };
  // `number` and `text`: from an object to the number in it as a box, to its text.
  enum class Purpose : std::uint8_t { kField, kElement, kNumber, kText };
  struct Step {
    Purpose purpose = Purpose::kField;
    std::string field;
    std::atomic<const Way*> first{nullptr};  // that was found
    std::array<std::atomic<const Way*>, kBuckets> ways{};
    std::atomic<int> count{0};
    std::atomic<const Way*> odd{nullptr};  // the first that led nowhere
  };
  struct Comparison {
    ProbeComparison wanted;
    std::u16string text;  // the right side
    std::vector<std::unique_ptr<Step>> steps;
    // Of the first value that is not of the right side's kind; whether there was one that is.
    mutable std::atomic<const Way*> odd{nullptr};
    mutable std::atomic<bool> fitted{false};
  };
  struct Value {
    char type = 'V';  // 'J', 'C' (in `whole`, too), 'D', 'L'; 'V': there is none
    std::int64_t whole = 0;
    double real = 0;
    jobject object = nullptr;
    const Way* way = nullptr;  // if it is kept

    bool is_number() const { return type != 'V' && type != 'L'; }
  };

  static void note(std::atomic<const Way*>& odd, const Way* way);
  static void note_kind(const Comparison& comparison, const Value& value, bool fits);
  static std::string note_of_step(const Comparison& comparison, std::size_t at, const Way& way);
  static std::string note_of_value(const Comparison& comparison, const Way& way);
  bool compare(JNIEnv* jni, const Comparison& comparison, jobject from);
  static bool compare_number(const Value& number, const Comparison& comparison);
  bool compare_object(JNIEnv* jni, const Comparison& comparison, jobject object);
  static bool has_text(JNIEnv* jni, const Value& value, const std::u16string& text);
  Value read(JNIEnv* jni, jobject object, Step& step, std::int32_t index);
  static Value value_of(JNIEnv* jni, jobject object, const Way& way, std::int32_t index);
  const Way& way_of(JNIEnv* jni, jclass klass, Step& step, Way& made);
  Way find(JNIEnv* jni, jclass klass, const Step& step) const;
  void find_field(JNIEnv* jni, jclass klass, std::string_view name, Way& way,
                  std::string_view owner = "") const;

  std::atomic<jvmtiEnv*> jvmti_{nullptr};
  Step number_, text_;
  std::array<std::atomic<const Comparison*>, kMostComparisons> comparisons_{};

  mutable std::mutex mutex_;  // of the following; not taken by holds()
  std::vector<std::unique_ptr<const Comparison>> all_;
};

}  // namespace ddm
