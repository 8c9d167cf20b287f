#include "adapters/dyper/dyper_commands.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <memory>
#include <span>
#include <utility>

#include "adapters/dyper/documents/known_elements.h"
#include "adapters/dyper/documents/xml_reader.h"
#include "adapters/dyper/run_facts.h"
#include "core/clocks.h"
#include "vm/jvmti_error.h"

namespace ddm {
namespace {

using Code = DyperErrorCode;

// The elements named `tag`: those inside SETTINGS, or the single one outside of it.
auto settings_of(pugi::xml_node root, const char* tag) {
  const pugi::xml_node list = child_of(root, "SETTINGS");
  return (list ? list : root).children(tag);
}

std::string value_of(pugi::xml_node variable) {
  if (variable.attribute("VALUE")) return std::string(attribute_of(variable, "VALUE"));
  return text_in(variable);
}

}  // namespace

// A command that is being carried out; its methods are the commands.
struct DyperCommands::Call {
  DyperCommands& own;
  JNIEnv* jni;
  pugi::xml_node root;
  Answer& answer;
  DyperMonitor& monitor = own.monitor_;

  enum Place { kHere, kAside };
  struct Entry {
    std::string_view name;
    void (Call::*handler)();
    Place place = kHere;
  };
  static const Entry kDyper[];
  static const Entry kDypatch[];

  void fail(std::string attribute, std::string_view value, std::string message,
            Code code = Code::kBadValue) {
    ddm::fail(answer.errors, std::move(attribute), value, std::move(message), code);
  }

  void who() { answer.attributes = monitor.monitors() ? " ACTIVE='true'" : " ACTIVE='false'"; }

  void whoru() { write_run_facts(own.jvmti_, jni, answer.xml); }

  void ping() { answer.xml.raw("PONG"); }

  // Unknown names are ignored: clients send variables of other versions.
  void set() {
    for (const pugi::xml_node variable : settings_of(root, "VAR")) {
      const std::string_view name = attribute_of(variable, "NAME");
      if (name.empty()) {
        fail("NAME", "", "a VAR needs a NAME");
        continue;
      }
      const auto done = monitor.with_variables(
          [&](DyperVariables& variables) { return variables.set(name, value_of(variable)); });
      if (!done) fail("NAME", name, done.message());
    }
    monitor.apply(jni, answer.errors);
    count_threads();
  }

  void get() {
    const std::string_view name = attribute_of(child_of(root, "VAR"), "NAME");
    const auto value = monitor.with_variables(
        [&](const DyperVariables& variables) { return variables.get(name); });
    if (!value) return fail("NAME", name, "there is no such variable", Code::kUnknownVar);
    answer.xml.text(*value);
  }

  void clear() {
    const std::string_view name = attribute_of(child_of(root, "CLEAR"), "AGENT");
    if (!monitor.clear(name, answer.errors)) return;
    // Its counters are in CPU's element.
    if (name.empty() || agent_name(name) == "CPU") own.dypatch_.patched().clear_counters(jni);
    answer.xml.raw(std::to_string(epoch_ms()));
  }

  void set_detail() {
    for (const pugi::xml_node detail : settings_of(root, "DETAIL")) {
      const std::string_view value = attribute_of(detail, "VALUE");
      const auto on = detail.attribute("VALUE") ? boolean_of(value) : true;
      if (!on) {
        fail("VALUE", value, "detail is true or false");
        continue;
      }
      const std::string_view item = attribute_of(detail, "ITEM");
      if (item.empty()) {
        fail("ITEM", "", "a DETAIL needs an ITEM, such as shop.Cart or shop.Cart@total");
        continue;
      }
      monitor.set_detail(attribute_of(detail, "AGENT"), item, *on, answer.errors);
    }
  }

  void classes() {
    monitor.with_types(
        [&](ClassTypes& types) { types.change(child_of(root, "CLASSES"), answer.errors); });
  }

  void get_classes() {
    monitor.with_types([&](const ClassTypes& types) {
      types.write(child_of(root, "MATCH"), answer.xml, answer.errors);
    });
  }

  // There is one report. A request for another type gets the same report, as from the original.
  void report() {
    const std::string_view type = attribute_of(child_of(root, "REPORT"), "TYPE");
    if (!type.empty() && type != "ALL") fail("TYPE", type, "the TYPE of a report is ALL");
    monitor.write_report(jni, answer.xml);
  }

  void class_model() {
    const std::string path =
        monitor.with_variables([](const DyperVariables& v) { return v.class_path; });
    write_class_model(own.jvmti_, jni, root, path, answer.xml, answer.errors);
  }

  void show_stack() {
    if (monitor.write_stacks_of_all(jni, answer.xml)) return;
    fail("", "", "stacks of this VM cannot be taken", Code::kUnsupported);
  }

  void agent() {
    const std::string_view name = attribute_of(child_of(root, "AGENT"), "CLASS");
    if (monitor.set_active(name, true, answer.errors)) answer.xml.raw("OK");
  }

  void activate() {
    const pugi::xml_node element = child_of(root, "ACTIVATE", "DEACTIVATE");
    const bool on = std::string_view(element.name()) == "ACTIVATE";
    monitor.set_active(attribute_of(element, "AGENT"), on, answer.errors);
  }

  void use_threads() {
    monitor.use_threads(jni, child_of(root, "THREADS"), answer.errors);
    count_threads();
  }

  void count_threads() { own.dypatch_.patched().count_threads(jni, monitor.chosen_threads()); }

  void collect_garbage() {
    const jvmtiError error = own.jvmti_->ForceGarbageCollection();
    if (error == JVMTI_ERROR_NONE) return;
    fail("", "", std::string("ForceGarbageCollection: ") + jvmti_error_name(error),
         Code::kUnsupported);
  }

  void dump_heap() {
    const pugi::xml_node inner = child_of(root, "DUMPHEAP");
    const pugi::xml_node element = inner ? inner : root;
    const std::string path(attribute_of(element, "FILE"));
    if (path.empty()) return fail("FILE", "", "FILE names the file to be written");
    if (!flag_of(element, "LIVE", true)) {
      return fail("LIVE", "false", "a dump has what is reachable alone", Code::kUnsupported);
    }
    const auto written = own.dumper_.write(jni, path);
    if (!written) return fail("FILE", path, written.message());
    answer.xml.raw("OK");
  }

  template <auto Command>  // of Dypatch
  void patching() {
    (own.dypatch_.*Command)(jni, root, answer.xml, answer.errors);
  }

  void instrument() {
    const pugi::xml_node model = child_of(root, "MODEL", "PATCHMODEL");
    if (model.child("VAR")) Call{own, jni, model, answer}.set();
    if (model.child("DETAIL")) Call{own, jni, model, answer}.set_detail();
    patching<&Dypatch::instrument>();
  }

  void left_out() {
    fail("COMMAND", attribute_of(root, "COMMAND"), "this command is left out", Code::kUnsupported);
  }
};

const DyperCommands::Call::Entry DyperCommands::Call::kDyper[] = {
    {"WHO", &Call::who},
    {"WHORU", &Call::whoru},
    {"PING", &Call::ping},
    {"SET", &Call::set},
    {"GET", &Call::get},
    {"CLEAR", &Call::clear},
    {"SETDETAIL", &Call::set_detail},
    {"CLASSES", &Call::classes},
    {"GETCLASSES", &Call::get_classes},
    {"REPORT", &Call::report},
    {"CLASSMODEL", &Call::class_model, kAside},
    {"SHOWSTACK", &Call::show_stack},
    {"AGENT", &Call::agent},
    {"ACTIVATE", &Call::activate},
    {"USETHREAD", &Call::use_threads},
    {"GC", &Call::collect_garbage},
    {"DUMPHEAP", &Call::dump_heap},
    {"DUMPMEMORY", &Call::left_out},
    {"INSTRUMENT", &Call::instrument, kAside},
};

const DyperCommands::Call::Entry DyperCommands::Call::kDypatch[] = {
    {"PING", &Call::ping},
    {"MODEL", &Call::patching<&Dypatch::model>, kAside},
    {"PATCHMODEL", &Call::patching<&Dypatch::model>, kAside},
    {"PATCH", &Call::patching<&Dypatch::patch>, kAside},
    {"ACTIVATE", &Call::patching<&Dypatch::activate>, kAside},
    {"DIRECTORY", &Call::patching<&Dypatch::directory>, kAside},
    {"ADDCLASS", &Call::left_out},
    {"EXIT", &Call::left_out},
};

std::string DyperCommands::answer(JNIEnv* jni, std::string_view document) {
  const auto begun = std::chrono::steady_clock::now();
  std::string reply;
  auto request = read_request(document, self_);
  if (const auto* refused = std::get_if<RefusedRequest>(&request)) {
    reply = refusal(*refused, self_);
  } else {
    reply = answer(jni, std::move(std::get<DyperRequest>(request)));
  }
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begun;
  monitor_.add_command_ms(took.count());
  return reply;
}

std::string DyperCommands::answer(JNIEnv* jni, DyperRequest request) {
  const DyperLanguage language = request.language;
  const auto commands = language == DyperLanguage::kDyper
                            ? std::span<const Call::Entry>(Call::kDyper)
                            : std::span<const Call::Entry>(Call::kDypatch);
  const auto entry = std::ranges::find(commands, request.command, &Call::Entry::name);
  Answer answer;
  DyperErrors unknown;
  if (entry == commands.end()) {
    fail(answer.errors, "COMMAND", request.command, "no such command", Code::kUnknownCommand);
  } else if (!check_elements(request, unknown)) {
    // The command knows none of the document's elements.
  } else if (entry->place == Call::kAside) {
    answer = answer_aside(jni, entry->handler, std::move(request));
  } else {
    call(jni, entry->handler, request, answer);
  }
  for (const DyperError& error : unknown) error.write(answer.xml);
  for (const DyperError& error : answer.errors) error.write(answer.xml);
  return reply_document(language, self_, answer.xml.take(), answer.attributes);
}

void DyperCommands::call(JNIEnv* jni, Handler handler, const DyperRequest& request,
                         Answer& answer) {
  try {
    (Call{*this, jni, request.root, answer}.*handler)();
  } catch (const std::exception& failure) {  // no memory; what was written is dropped
    answer = {};
    fail(answer.errors, "COMMAND", request.command, failure.what(), Code::kUnsupported);
  }
}

DyperCommands::Answer DyperCommands::answer_aside(JNIEnv* jni, Handler handler,
                                                  DyperRequest request) {
  struct Job {
    DyperRequest request;
    Answer answer;
  };
  const std::string command = request.command;
  const auto job = std::make_shared<Job>(Job{std::move(request), {}});
  const SideThread::Outcome outcome = changes_.run(jni, [this, job, handler](JNIEnv* on_thread) {
    call(on_thread, handler, job->request, job->answer);
  });
  if (outcome == SideThread::Outcome::kDone) return std::move(job->answer);
  Answer refused;
  fail(refused.errors, "COMMAND", command,
       outcome == SideThread::Outcome::kGoesOn
           ? "this has stood still for 5 s, for another agent's transformer perhaps; it goes "
             "on, and how it ends is not told"
       : outcome == SideThread::Outcome::kBusy
           ? "an earlier document that is about classes stands still, for another agent's "
             "transformer perhaps"
           : "the program is ending",
       Code::kBusy);
  return refused;
}

}  // namespace ddm
