#include "stack/name_sweep.h"

#include "core/class_names.h"
#include "core/log.h"
#include "stack/class_ids.h"
#include "vm/jvmti_memory.h"

namespace ddm {
namespace {

// A reader is inside for microseconds, unless it is descheduled or the VM collects garbage.
constexpr std::chrono::milliseconds kReadersPatience{200};

}  // namespace

void NameSweep::on_growth(const std::function<void()>& ask) {
  names_.growth().on_limit(ask);
  rewritten_.growth().on_limit(ask);
}

bool NameSweep::read_loaded(JNIEnv* jni, LoadedClasses& loaded) const {
  jint count = 0;
  JvmtiPtr<jclass> classes(jvmti_);
  const LocalFrame frame(jni, 64);
  if (!frame.good() || jvmti_->GetLoadedClasses(&count, classes.out()) != JVMTI_ERROR_NONE) {
    return false;
  }
  for (jint i = 0; i < count; ++i) {
    loaded.ids.insert(ClassIds::known_id_of(jvmti_, classes[i]));
    JvmtiPtr<char> signature(jvmti_);
    if (jvmti_->GetClassSignature(classes[i], signature.out(), nullptr) != JVMTI_ERROR_NONE) {
      return false;
    }
    const std::string_view text = text_of(signature);
    if (text.starts_with('L')) loaded.name_hashes.insert(class_name_hash(internal_name_of(text)));
  }
  return true;
}

void NameSweep::sweep(JNIEnv* jni, const std::function<void(NamesInUse&)>& add_kept) {
  const std::size_t before = names_.class_count() + names_.method_count();
  LoadedClasses loaded;
  const bool swept = names_.keep_only([&](NamesInUse& used) {
    // From here on no thread gets the id of a method whose class was unloaded or redefined.
    methods_.drop_former();
    // Afterwards the records of threads that already had an id are in the ring, and ids that these
    // threads added are in methods_ or in a tag. Ids of later names are kept, see keep_only().
    if (!reclamation_.wait_for_readers(kReadersPatience)) return false;
    methods_.add_names(used);
    if (!read_loaded(jni, loaded)) return false;
    used.classes.insert(loaded.ids.begin(), loaded.ids.end());
    add_kept(used);
    return true;
  });
  if (swept) {
    rewritten_.keep_only(loaded.name_hashes);
  } else {
    rewritten_.growth().postpone();
  }
  log_debug("{} names before a sweep, {} after it", before,
            names_.class_count() + names_.method_count());
}

}  // namespace ddm
