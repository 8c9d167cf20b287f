// Drops the names that no record and no site refers to and that no loaded class could reintroduce,
// so that a program that keeps loading and unloading classes does not fill the tables.
//
// Requested when a table has doubled, and done on an agent thread. Between the moment when a thread
// reads an id from a class's tag or a SeenMethod, and the moment when its record is in the ring and
// its site is counted, the id is visible nowhere, which determines the order of sweep_names().
// Recorders are inside a Reading meanwhile.
#include <chrono>
#include <optional>

#include "core/class_names.h"
#include "core/log.h"
#include "stack/class_ids.h"
#include "stack/stacks.h"
#include "vm/jvmti_memory.h"

namespace ddm {
namespace {

// A reader is inside for microseconds, unless it is descheduled or the VM collects garbage.
constexpr std::chrono::milliseconds kReadersPatience{200};

struct LoadedClasses {
  std::unordered_set<NameId> ids;                 // in the classes' tags
  std::unordered_set<std::uint64_t> name_hashes;  // of the classes with bytecode
};

// nullopt: JVMTI does not list the classes.
std::optional<LoadedClasses> read_loaded_classes(jvmtiEnv* jvmti, JNIEnv* jni) {
  LoadedClasses loaded;
  jint count = 0;
  JvmtiPtr<jclass> classes(jvmti);
  const LocalFrame frame(jni, 64);
  if (!frame.good() || jvmti->GetLoadedClasses(&count, classes.out()) != JVMTI_ERROR_NONE) {
    return {};
  }
  for (jint i = 0; i < count; ++i) {
    loaded.ids.insert(ClassIds::known_id_of(jvmti, classes[i]));
    const ClassSignature signature(jvmti, classes[i]);
    if (!signature) return {};
    const std::string_view text = text_of(signature);
    if (text.starts_with('L')) loaded.name_hashes.insert(class_name_hash(internal_name_of(text)));
  }
  return loaded;
}

}  // namespace

void Stacks::sweep_names_in(const Background& background) {
  const auto ask = [this, background] { background([this](JNIEnv* jni) { sweep_names(jni); }); };
  names_.growth().on_limit(ask);
  rewritten_.growth().on_limit(ask);
  methods_.growth().on_limit(ask);
}

void Stacks::sweep_names(JNIEnv* jni) {
  const std::lock_guard lock(sweeping_);
  const std::size_t before = names_.size();
  std::optional<LoadedClasses> loaded;
  const bool swept = names_.keep_only([&](NamesInUse& used) {
    // From here on no thread gets the id of a method whose class was unloaded or redefined.
    methods_.drop_former();
    // Afterwards the records of threads that already had an id are in the ring, and ids that these
    // threads added are in methods_ or in a tag. Ids of later names are kept, see keep_only().
    if (!reclamation_.wait_for_readers(kReadersPatience)) return false;
    methods_.add_names(used);
    loaded = read_loaded_classes(jvmti_, jni);
    if (!loaded) return false;
    used.classes.insert(loaded->ids.begin(), loaded->ids.end());
    for (NamesUser* user : users_) user->add_names(used);
    return true;
  });
  if (swept) {
    rewritten_.keep_only(loaded->name_hashes);
  } else {
    rewritten_.growth().postpone();
  }
  log_debug("{} names before a sweep, {} after it", before, names_.size());
}

}  // namespace ddm
