// DYPATCH's commands: models of patches, tables of the numbers that their counters have, and
// patched class files. One command at a time, on any attached thread.
#pragma once

#include <jvmti.h>

#include <memory>
#include <optional>
#include <pugixml.hpp>
#include <string>
#include <string_view>

#include "adapters/dyper/documents/request.h"
#include "adapters/dyper/link_thread.h"
#include "adapters/dyper/patched_classes.h"
#include "adapters/dyper/patching/patch_models.h"
#include "bci/patch/patch_class.h"
#include "core/result.h"

namespace ddm {

class Dypatch {
 public:
  // `modes_file`: dypatch_modes=; "" = none.
  Dypatch(jvmtiEnv* jvmti, std::string modes_file, HitBudget& budget)
      : modes_file_(std::move(modes_file)), links_(jvmti), patched_(jvmti, ids_, budget) {}

  // Reads that file, unless it can be read only once, before the first command. The error: why it
  // cannot be read; each MODEL tries again.
  std::optional<Error> read_modes_early();
  // At the VM's death.
  void close() { links_.close(); }

  // MODEL: changes the model and lists the numbers that the model uses.
  void model(JNIEnv* jni, pugi::xml_node root, XmlWriter& xml, DyperErrors& errors);
  // PATCH: the class files that the model produces. ACTIVATE is the original's name for it.
  void patch(JNIEnv* jni, pugi::xml_node root, XmlWriter& xml, DyperErrors& errors);
  void activate(JNIEnv* jni, pugi::xml_node root, XmlWriter& xml, DyperErrors& errors);
  // INSTRUMENT: installs a model's patches in classes, or removes them.
  void instrument(JNIEnv* jni, pugi::xml_node root, XmlWriter& xml, DyperErrors& errors);
  // DIRECTORY: the directory that PATCH writes class files to.
  void directory(JNIEnv*, pugi::xml_node root, XmlWriter&, DyperErrors& errors);

  PatchedClasses& patched() { return patched_; }

 private:
  std::optional<Error> read_modes();
  void add_modes(DyperErrors& errors);
  // The loaded classes that the plan covers, restricted to `named` if that is not empty. A class
  // named there or in the plan is missing if it is not loaded and linked.
  struct Found {
    ClassNames loaded, missing;
  };
  Found classes_of(JNIEnv* jni, const bci::PatchPlan& plan, const ClassNames& named,
                   DyperErrors& errors);
  // Where a missing class is an error.
  ClassNames loaded_classes_of(JNIEnv* jni, const bci::PatchPlan& plan, const ClassNames& named,
                               DyperErrors& errors);
  // Their class files without the patches that INSTRUMENT installed.
  ClassFiles files_of(JNIEnv* jni, const ClassNames& classes, DyperErrors& errors) const;
  // Patches all loaded classes that the model covers, and, of classes loaded later, those that the
  // model names.
  ClassNames instrument_all(JNIEnv* jni, const std::string& model, DyperErrors& errors);
  void write_numbers(const bci::PatchPlan& plan, const ClassFiles& classes, XmlWriter& xml,
                     DyperErrors& errors);
  // The file's name, or "mem:N" while no directory is known.
  std::string store_file(const std::string& class_name, std::string_view form,
                         const bci::Bytes& bytes, DyperErrors& errors);

  std::string modes_file_;                            // "": none, or it has been read
  std::unique_ptr<pugi::xml_document> unused_modes_;  // of the file, for the first MODEL
  PatchModels models_;
  bci::PatchIdTable ids_;
  LinkThread links_;
  PatchedClasses patched_;
  std::string directory_;
  int in_memory_ = 0;
};

}  // namespace ddm
