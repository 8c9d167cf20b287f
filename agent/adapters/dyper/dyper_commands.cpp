#include "adapters/dyper/dyper_commands.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <memory>
#include <span>
#include <utility>

#include "adapters/dyper/class_model.h"
#include "adapters/dyper/documents/known_elements.h"
#include "adapters/dyper/documents/xml_reader.h"
#include "adapters/dyper/run_facts.h"
#include "core/clocks.h"
#include "vm/jvmti_error.h"

namespace ddm {
namespace {

using Code = DyperErrorCode;

// The elements named `tag`: those inside SETTINGS, or the single one outside of it.
std::vector<pugi::xml_node> settings_of(pugi::xml_node root, const char* tag) {
  const pugi::xml_node list = child_of(root, "SETTINGS");
  std::vector<pugi::xml_node> result;
  for (const pugi::xml_node one : (list ? list : root).children(tag)) result.push_back(one);
  return result;
}

std::string value_of(pugi::xml_node variable) {
  if (variable.attribute("VALUE")) return std::string(attribute_of(variable, "VALUE"));
  return text_in(variable);
}

}  // namespace

const DyperCommands::Entry DyperCommands::kDyper[] = {
    {"WHO", &DyperCommands::who},
    {"WHORU", &DyperCommands::whoru},
    {"PING", &DyperCommands::ping},
    {"SET", &DyperCommands::set},
    {"GET", &DyperCommands::get},
    {"CLEAR", &DyperCommands::clear},
    {"SETDETAIL", &DyperCommands::set_detail},
    {"CLASSES", &DyperCommands::classes},
    {"GETCLASSES", &DyperCommands::get_classes},
    {"REPORT", &DyperCommands::report},
    {"CLASSMODEL", &DyperCommands::class_model, kAside},
    {"SHOWSTACK", &DyperCommands::show_stack},
    {"AGENT", &DyperCommands::agent},
    {"ACTIVATE", &DyperCommands::activate},
    {"USETHREAD", &DyperCommands::use_threads},
    {"GC", &DyperCommands::collect_garbage},
    {"DUMPHEAP", &DyperCommands::dump_heap},
    {"DUMPMEMORY", &DyperCommands::left_out},
    {"INSTRUMENT", &DyperCommands::instrument, kAside},
};

const DyperCommands::Entry DyperCommands::kDypatch[] = {
    {"PING", &DyperCommands::ping},
    {"MODEL", &DyperCommands::patching<&Dypatch::model>, kAside},
    {"PATCHMODEL", &DyperCommands::patching<&Dypatch::model>, kAside},
    {"PATCH", &DyperCommands::patching<&Dypatch::patch>, kAside},
    {"ACTIVATE", &DyperCommands::patching<&Dypatch::activate>, kAside},
    {"DIRECTORY", &DyperCommands::patching<&Dypatch::directory>, kAside},
    {"ADDCLASS", &DyperCommands::left_out},
    {"EXIT", &DyperCommands::left_out},
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
  const std::span<const Entry> commands = request.language == DyperLanguage::kDyper
                                              ? std::span<const Entry>(kDyper)
                                              : std::span<const Entry>(kDypatch);
  const DyperLanguage language = request.language;
  const std::string command = request.command;
  const auto entry = std::find_if(commands.begin(), commands.end(),
                                  [&](const Entry& one) { return one.name == command; });
  Answer answer;
  DyperErrors unknown;
  if (entry == commands.end()) {
    answer.fail(Code::kUnknownCommand, "COMMAND", command, "no such command");
  } else if (!check_elements(request, unknown)) {
    // The command knows none of the document's elements.
  } else if (entry->place == kAside) {
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
    (this->*handler)(jni, request.root, answer);
  } catch (const std::exception& failure) {  // no memory; what was written is dropped
    answer = {};
    answer.fail(Code::kUnsupported, "COMMAND", request.command, failure.what());
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
  refused.fail(
      Code::kBusy, "COMMAND", command,
      outcome == SideThread::Outcome::kGoesOn
          ? "this has stood still for 5 s, for another agent's transformer perhaps; it goes "
            "on, and how it ends is not told"
      : outcome == SideThread::Outcome::kBusy
          ? "an earlier document that is about classes stands still, for another agent's "
            "transformer perhaps"
          : "the program is ending");
  return refused;
}

void DyperCommands::who(JNIEnv*, pugi::xml_node, Answer& answer) {
  answer.attributes = monitor_.monitors() ? " ACTIVE='true'" : " ACTIVE='false'";
}

void DyperCommands::whoru(JNIEnv* jni, pugi::xml_node, Answer& answer) {
  write_run_facts(jvmti_, jni, answer.xml);
}

void DyperCommands::ping(JNIEnv*, pugi::xml_node, Answer& answer) { answer.xml.raw("PONG"); }

// Unknown names are ignored: clients send variables of other versions.
void DyperCommands::set(JNIEnv* jni, pugi::xml_node root, Answer& answer) {
  for (const pugi::xml_node variable : settings_of(root, "VAR")) {
    const std::string_view name = attribute_of(variable, "NAME");
    const auto done = monitor_.with_variables(
        [&](DyperVariables& variables) { return variables.set(name, value_of(variable)); });
    if (!done) answer.fail(Code::kBadValue, "NAME", std::string(name), done.message());
  }
  answer.add(monitor_.apply(jni));
  dypatch_.patched().count_threads(jni, monitor_.chosen_threads());
}

void DyperCommands::get(JNIEnv*, pugi::xml_node root, Answer& answer) {
  const std::string_view name = attribute_of(child_of(root, "VAR"), "NAME");
  const auto value =
      monitor_.with_variables([&](const DyperVariables& variables) { return variables.get(name); });
  if (!value) {
    return answer.fail(Code::kUnknownVar, "NAME", std::string(name), "there is no such variable");
  }
  answer.xml.text(*value);
}

void DyperCommands::clear(JNIEnv* jni, pugi::xml_node root, Answer& answer) {
  const std::string_view agent = attribute_of(child_of(root, "CLEAR"), "AGENT");
  auto failed = monitor_.clear(agent);
  if (failed) return answer.add(std::move(failed));
  // Its counters are in CPU's element.
  if (agent.empty() || agent_name(agent) == "CPU") dypatch_.patched().clear_counters(jni);
  answer.xml.raw(std::to_string(epoch_ms()));
}

void DyperCommands::set_detail(JNIEnv*, pugi::xml_node root, Answer& answer) {
  for (const pugi::xml_node detail : settings_of(root, "DETAIL")) {
    answer.add(monitor_.set_detail(attribute_of(detail, "AGENT"), attribute_of(detail, "ITEM"),
                                   flag_of(detail, "VALUE", true)));
  }
}

void DyperCommands::classes(JNIEnv*, pugi::xml_node root, Answer& answer) {
  monitor_.with_types(
      [&](ClassTypes& types) { types.change(child_of(root, "CLASSES"), answer.errors); });
}

void DyperCommands::get_classes(JNIEnv*, pugi::xml_node root, Answer& answer) {
  monitor_.with_types([&](const ClassTypes& types) {
    types.write(child_of(root, "MATCH"), answer.xml, answer.errors);
  });
}

// There is one report. A request for another type gets the same report, as from the original.
void DyperCommands::report(JNIEnv* jni, pugi::xml_node root, Answer& answer) {
  const std::string_view type = attribute_of(child_of(root, "REPORT"), "TYPE");
  if (!type.empty() && type != "ALL") {
    answer.fail(Code::kBadValue, "TYPE", std::string(type), "the TYPE of a report is ALL");
  }
  monitor_.write_report(jni, answer.xml);
}

void DyperCommands::class_model(JNIEnv* jni, pugi::xml_node root, Answer& answer) {
  const std::string path =
      monitor_.with_variables([](const DyperVariables& v) { return v.class_path; });
  write_class_model(jvmti_, jni, root, path, answer.xml, answer.errors);
}

void DyperCommands::show_stack(JNIEnv* jni, pugi::xml_node, Answer& answer) {
  if (monitor_.write_stacks_of_all(jni, answer.xml)) return;
  answer.fail(Code::kUnsupported, "", "", "stacks of this VM cannot be taken");
}

void DyperCommands::agent(JNIEnv*, pugi::xml_node root, Answer& answer) {
  auto failed = monitor_.set_active(attribute_of(child_of(root, "AGENT"), "CLASS"), true);
  if (failed) return answer.add(std::move(failed));
  answer.xml.raw("OK");
}

void DyperCommands::activate(JNIEnv*, pugi::xml_node root, Answer& answer) {
  const pugi::xml_node element = child_of(root, "ACTIVATE", "DEACTIVATE");
  const bool on = std::string_view(element.name()) == "ACTIVATE";
  answer.add(monitor_.set_active(attribute_of(element, "AGENT"), on));
}

void DyperCommands::use_threads(JNIEnv* jni, pugi::xml_node root, Answer& answer) {
  monitor_.use_threads(jni, child_of(root, "THREADS"), answer.errors);
  dypatch_.patched().count_threads(jni, monitor_.chosen_threads());
}

void DyperCommands::collect_garbage(JNIEnv*, pugi::xml_node, Answer& answer) {
  const jvmtiError error = jvmti_->ForceGarbageCollection();
  if (error == JVMTI_ERROR_NONE) return;
  answer.fail(Code::kUnsupported, "", "",
              std::string("ForceGarbageCollection: ") + jvmti_error_name(error));
}

void DyperCommands::dump_heap(JNIEnv* jni, pugi::xml_node root, Answer& answer) {
  const pugi::xml_node inner = child_of(root, "DUMPHEAP");
  const pugi::xml_node element = inner ? inner : root;
  const std::string path(attribute_of(element, "FILE"));
  if (path.empty()) {
    return answer.fail(Code::kBadValue, "FILE", "", "FILE names the file to be written");
  }
  if (!flag_of(element, "LIVE", true)) {
    return answer.fail(Code::kUnsupported, "LIVE", "false", "a dump has what is reachable alone");
  }
  if (const auto written = dumper_.write(jni, path); !written) {
    return answer.fail(Code::kBadValue, "FILE", path, written.message());
  }
  answer.xml.raw("OK");
}

template <auto Command>
void DyperCommands::patching(JNIEnv* jni, pugi::xml_node root, Answer& answer) {
  (dypatch_.*Command)(jni, root, answer.xml, answer.errors);
}

void DyperCommands::instrument(JNIEnv* jni, pugi::xml_node root, Answer& answer) {
  const pugi::xml_node model = child_of(root, "MODEL", "PATCHMODEL");
  if (model.child("VAR")) set(jni, model, answer);
  if (model.child("DETAIL")) set_detail(jni, model, answer);
  dypatch_.instrument(jni, root, answer.xml, answer.errors);
}

void DyperCommands::left_out(JNIEnv*, pugi::xml_node root, Answer& answer) {
  answer.fail(Code::kUnsupported, "COMMAND", std::string(attribute_of(root, "COMMAND")),
              "this command is left out");
}

}  // namespace ddm
