#include "adapters/dyper/dypatch.h"

#include <sys/stat.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <utility>

#include "adapters/dyper/documents/xml_reader.h"
#include "adapters/dyper/patching/java_names.h"
#include "core/class_names.h"
#include "core/clocks.h"
#include "core/file_descriptor.h"
#include "report/report.h"
#include "vm/class_changes/class_bytes_reader.h"

namespace ddm {
namespace {

using Code = DyperErrorCode;

// Forwards to another PatchIds and records the parts whose numbers were requested.
class UsedIds final : public bci::PatchIds {
 public:
  struct Used {
    std::string owner, name, descriptor;  // as Part
    bool is_block = false;
    const char* type() const { return is_block ? "BLOCK" : name.empty() ? "CLASS" : "METHOD"; }
  };

  explicit UsedIds(bci::PatchIds& ids) : ids_(ids) {}
  const std::map<std::int32_t, Used>& used() const { return used_; }

  std::int32_t id_of(const Part& part) override {
    const std::int32_t id = ids_.id_of(part);
    used_.try_emplace(id, Used{std::string(part.owner), std::string(part.name),
                               std::string(part.descriptor), part.first >= 0});
    return id;
  }

 private:
  bci::PatchIds& ids_;
  std::map<std::int32_t, Used> used_;
};

// Names what patched code counts outside of the classes of the model: the methods that it calls, the
// classes of what it allocates. Nothing else tells a client what their numbers mean.
void write_referenced(const UsedIds& used, const std::set<std::int32_t>& written, XmlWriter& xml) {
  for (const auto& [id, part] : used.used()) {
    if (part.is_block || written.contains(id)) continue;
    // The owner is an internal name, or the descriptor of an array.
    const std::string owner =
        type_name_of(part.owner.starts_with('[') ? part.owner : "L" + part.owner + ";");
    if (part.name.empty()) {
      xml.open("CLASS").attribute("NAME", owner).attribute("INDEX", id).close();
      continue;
    }
    const std::string signature = signature_of(part.descriptor);
    xml.open("METHOD").attribute("NAME", owner + "." + part.name);
    xml.attribute("SIGNAGURE", signature).attribute("SIGNATURE", signature);  // as above
    xml.attribute("INDEX", id).close();
  }
}

// Reports methods that the plan names individually and that the class lacks.
void tell_absent(const std::string& class_name, const bci::PatchPlan& plan,
                 const std::vector<bci::MethodBlocks>& methods,
                 const std::vector<bci::RefusedSite>& refused, DyperErrors& errors) {
  const std::string owner = internal_name(class_name);
  for (const bci::MethodPatches& wanted : plan.methods) {
    if (wanted.class_name != owner || bci::names_many(wanted.method)) continue;
    const auto is_wanted = [&](const auto& method) {
      return matches(wanted, owner, method.name, method.descriptor);
    };
    if (std::ranges::any_of(methods, is_wanted) || std::ranges::any_of(refused, is_wanted)) {
      continue;
    }
    fail(errors, "METHOD", wanted.method,
         class_name + " has no such method" +
             (wanted.descriptor.empty() ? "" : " with these parameters"));
  }
}

// Such as a pipe: the second reader waits for a writer.
bool can_be_read_once(const std::string& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

void write_block(const bci::MethodBlock& block, const std::string& method, std::int32_t id,
                 XmlWriter& xml) {
  xml.open("BLOCK").attribute("METHOD", method).attribute("INDEX", id);
  xml.attribute("STARTINS", block.first).attribute("START", block.first_line);
  xml.attribute("ENDINS", block.last).attribute("END", block.last_line);
  for (const auto& allocation : block.allocations) {
    xml.open("ALLOC").attribute("ARRAY", allocation.is_array ? 1 : 0);
    xml.attribute("CLASS", allocation.type).close();
  }
  xml.close();
}

}  // namespace

std::optional<Error> Dypatch::read_modes_early() {
  if (modes_file_.empty() || can_be_read_once(modes_file_)) return {};
  return read_modes();
}

std::optional<Error> Dypatch::read_modes() {
  const auto text = file_text(modes_file_);
  if (!text) return text.error();
  auto modes = read_xml(*text);
  if (!modes) return modes.error();
  unused_modes_ = std::move(*modes);
  modes_file_.clear();
  return {};
}

// A file that cannot be read is looked for again by the next MODEL.
void Dypatch::add_modes(DyperErrors& errors) {
  if (!modes_file_.empty()) {
    if (const auto fault = read_modes()) {
      fail(errors, "FILE", modes_file_, fault->message, Code::kNoMode);
      if (can_be_read_once(modes_file_)) modes_file_.clear();
      return;
    }
  }
  const auto modes = std::exchange(unused_modes_, nullptr);
  if (modes) models_.modes().add(modes->document_element(), errors);
}

Dypatch::Found Dypatch::classes_of(JNIEnv* jni, const bci::PatchPlan& plan, const ClassNames& named,
                                   DyperErrors& errors) {
  Found found;
  found.loaded = patched_.loaded(
      jni,
      [&](const std::string& name) {
        return named.empty() ? may_patch(plan, internal_name(name)) : named.contains(name);
      },
      errors);
  ClassNames all_named = named;
  for (const bci::MethodPatches& target : plan.methods) {
    if (named.empty() && !bci::names_many(target.class_name)) all_named.insert(target.class_name);
  }
  for (const std::string& one : all_named) {
    std::string name = dotted_name(one);
    if (!found.loaded.contains(name)) found.missing.insert(std::move(name));
  }
  return found;
}

ClassNames Dypatch::loaded_classes_of(JNIEnv* jni, const bci::PatchPlan& plan,
                                      const ClassNames& named, DyperErrors& errors) {
  Found found = classes_of(jni, plan, named, errors);
  for (const std::string& name : found.missing) {
    fail(errors, "CLASS", name, "no such class is loaded and can be changed", Code::kNoClass);
  }
  return std::move(found.loaded);
}

ClassFiles Dypatch::files_of(JNIEnv* jni, const ClassNames& classes, DyperErrors& errors) const {
  ClassFiles unpatched = patched_.unpatched();
  std::erase_if(unpatched, [&](const auto& one) { return !classes.contains(one.first); });
  std::string error;
  ClassFiles files = read_class_bytes(
      jni,
      [&](const std::string& name) { return classes.contains(name) && !unpatched.contains(name); },
      error);
  if (!error.empty()) fail(errors, "", "", error, Code::kUnsupported);
  files.merge(unpatched);
  return files;
}

void Dypatch::write_numbers(const bci::PatchPlan& plan, const ClassFiles& classes, XmlWriter& xml,
                            DyperErrors& errors) {
  UsedIds used(ids_);
  std::set<std::int32_t> written;
  xml.open("COUNTERS").open("COUNTERDATA");
  for (const auto& [name, bytes] : classes) {
    const std::string owner = internal_name(name);
    const bci::PatchResult result = patch_class(bytes, plan, used);
    report_refused(name, result.refused, errors);
    const std::int32_t class_id = ids_.class_id(owner);
    xml.open("CLASS").attribute("NAME", name).attribute("INDEX", class_id).close();
    written.insert(class_id);
    const std::vector<bci::MethodBlocks> methods = blocks_of(bytes, plan);
    tell_absent(name, plan, methods, result.refused, errors);
    for (const bci::MethodBlocks& method : methods) {
      const std::string qualified = name + "." + method.name;
      const std::string signature = signature_of(method.descriptor);
      xml.open("METHOD").attribute("NAME", qualified);
      xml.attribute("SIGNAGURE", signature).attribute("SIGNATURE", signature);  // the first: sic
      const std::int32_t method_id = ids_.method_id(owner, method.name, method.descriptor);
      xml.attribute("INDEX", method_id);
      written.insert(method_id);
      xml.attribute("START", method.first_line).attribute("END", method.last_line);
      for (const bci::MethodBlock& block : method.blocks) {
        const auto id = ids_.block_id(owner, method.name, method.descriptor, block.first);
        write_block(block, qualified, id, xml);
      }
      xml.close();
    }
  }
  write_referenced(used, written, xml);
  xml.close().open("COUNTERS");
  for (const auto& [id, part] : used.used()) {
    xml.open("USE").attribute("ID", id).attribute("TYPE", part.type()).close();
  }
  xml.close().close();
}

void Dypatch::model(JNIEnv* jni, pugi::xml_node root, XmlWriter& xml, DyperErrors& errors) {
  add_modes(errors);
  const pugi::xml_node element = child_of(root, "MODEL", "PATCHMODEL");
  const std::string_view name = attribute_of(element, "NAME");
  if (name.empty()) {
    fail(errors, "NAME", "", "MODEL needs a NAME", Code::kNoModel);
    return;
  }
  models_.change(element, errors);
  const bci::PatchPlan plan = models_.plan(name);
  if (plan.methods.empty()) return;
  const ClassNames loaded = loaded_classes_of(jni, plan, {}, errors);
  write_numbers(plan, files_of(jni, loaded, errors), xml, errors);
}

std::string Dypatch::store_file(const std::string& class_name, std::string_view form,
                                const bci::Bytes& bytes, DyperErrors& errors) {
  if (directory_.empty()) return "mem:" + std::to_string(++in_memory_);
  const std::string path = directory_ + "/" + class_name + "." + std::string(form) + ".class";
  const auto failed = write_report_file(
      path, std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  if (failed) fail(errors, "DIRECTORY", directory_, failed->message);
  return path;
}

void Dypatch::patch(JNIEnv* jni, pugi::xml_node root, XmlWriter& xml, DyperErrors& errors) {
  const pugi::xml_node element = child_of(root, "PATCH");
  const std::string_view name = attribute_of(element, "MODEL");
  if (!models_.contains(name)) {
    fail(errors, "MODEL", name, "there is no such model", Code::kNoModel);
    return;
  }
  ClassNames named;
  for (const pugi::xml_node one : element.children("CLASS")) {
    named.insert(std::string(attribute_of(one, "NAME")));
  }
  if (flag_of(element, "ALL", named.empty())) named.clear();
  const bci::PatchPlan wanted = models_.plan(name);
  const ClassNames classes = loaded_classes_of(jni, wanted, named, errors);
  const bci::PatchPlan plan = links_.check(jni, wanted, classes, errors).plan;
  xml.open("PATCH");
  for (const auto& [class_name, bytes] : files_of(jni, classes, errors)) {
    const bci::PatchResult result = patch_class(bytes, plan, ids_);
    report_refused(class_name, result.refused, errors);
    xml.open("CLASS").attribute("NAME", class_name);
    xml.attribute("ORIG", store_file(class_name, "orig", bytes, errors));
    if (result.rewrite.status == bci::RewriteStatus::kChanged) {
      xml.attribute("PATCH", store_file(class_name, "patched", result.rewrite.bytes, errors));
    }
    xml.close();
  }
  xml.close();
}

// As DYVISE's own program spells it: <PATCHMODEL NAME='M1' ACTION='ADD' />.
void Dypatch::activate(JNIEnv* jni, pugi::xml_node root, XmlWriter& xml, DyperErrors& errors) {
  const pugi::xml_node element = child_of(root, "PATCHMODEL", "MODEL");
  const std::string_view name = attribute_of(element, "NAME");
  const std::string_view action = attribute_of(element, "ACTION");
  if (!action.empty() && action != "ADD" && action != "REMOVE") {
    fail(errors, "ACTION", action, "an action is ADD, also without one, or REMOVE");
    return;
  }
  // Besides the original's reply, which is an empty PATCH.
  if (!models_.contains(name)) fail(errors, "NAME", name, "there is no such model", Code::kNoModel);
  const bool add = action != "REMOVE";
  const bci::PatchPlan wanted = models_.plan(name);
  const ClassNames classes = loaded_classes_of(jni, wanted, {}, errors);
  const bci::PatchPlan plan = add ? links_.check(jni, wanted, classes, errors).plan : wanted;
  xml.open("PATCH");
  for (const auto& [class_name, bytes] : files_of(jni, classes, errors)) {
    const bci::PatchResult result = patch_class(bytes, plan, ids_);
    report_refused(class_name, result.refused, errors);
    const bool changed = add && result.rewrite.status == bci::RewriteStatus::kChanged;
    xml.open("CLASS").attribute("NAME", class_name);
    xml.attribute("FILE", changed ? store_file(class_name, "patched", result.rewrite.bytes, errors)
                                  : store_file(class_name, "orig", bytes, errors));
    xml.attribute("ORIGINAL", changed ? "FALSE" : "TRUE").close();
  }
  xml.close();
}

void Dypatch::instrument(JNIEnv* jni, pugi::xml_node root, XmlWriter& xml, DyperErrors& errors) {
  const pugi::xml_node element = child_of(root, "MODEL", "PATCHMODEL");
  const std::string name(attribute_of(element, "NAME"));
  if (!models_.contains(name)) {
    fail(errors, "NAME", name, "there is no such model", Code::kNoModel);
    return;
  }
  const bool insert = flag_of(element, "INSERT", true);
  const bci::PatchPlan plan = models_.plan(name);
  ClassNames in, out;
  for (const pugi::xml_node one : element.children("PATCH")) {
    std::string class_name(attribute_of(one, "CLASS"));
    if (!flag_of(one, "CHANGE", insert)) {
      out.insert(std::move(class_name));
    } else if (may_patch(plan, internal_name(class_name))) {
      in.insert(std::move(class_name));
    } else {
      fail(errors, "CLASS", class_name, "the model has no patch for it", Code::kNoClass);
    }
  }
  ClassNames later;
  if (element.child("PATCH")) {
    patched_.remove(jni, name, out);
    if (!in.empty()) {
      const ClassNames classes = loaded_classes_of(jni, plan, in, errors);
      patched_.install(jni, name, links_.check(jni, plan, classes, errors), classes, {}, errors);
    }
  } else if (insert) {
    later = instrument_all(jni, name, errors);
  } else {
    patched_.remove(jni, name);
  }
  xml.open("PATCH").attribute("TIME", epoch_ms());
  for (const std::string& one : later) xml.open("LATER").attribute("CLASS", one).close();
  xml.close();
}

ClassNames Dypatch::instrument_all(JNIEnv* jni, const std::string& model, DyperErrors& errors) {
  const bci::PatchPlan plan = models_.plan(model);
  const bci::PatchPlan later = without_calls_of_the_program(plan);
  Found found = classes_of(jni, plan, {}, errors);
  const LinkedPlan links = links_.check(jni, plan, found.loaded, errors);
  patched_.install(jni, model, links, found.loaded, later, errors);
  std::erase_if(found.missing, [&](const std::string& name) {
    if (name.ends_with("[]")) {
      fail(errors, "CLASS", name, "no such class can be changed", Code::kNoClass);
      return true;
    }
    if (may_patch(later, internal_name(name))) return false;
    fail(errors, "CLASS", name,
         "no such class is loaded; one that comes later gets no calls of the "
         "program's methods",
         Code::kNoClass);
    return true;
  });
  return std::move(found.missing);
}

void Dypatch::directory(JNIEnv*, pugi::xml_node root, XmlWriter&, DyperErrors& errors) {
  std::string path = text_in(root);
  struct stat status {};
  if (!path.starts_with('/') || stat(path.c_str(), &status) != 0 || !S_ISDIR(status.st_mode)) {
    fail(errors, "DIRECTORY", path, "an absolute path of a directory is needed");
    return;
  }
  directory_ = std::move(path);
}

}  // namespace ddm
