// bci_rewrite: rewrites class files from the command line and counts what was skipped.
//
//   bci_rewrite [--hooks NAMES] [--hook-class CLASS] [--reencode] [-o DIR] INPUT...
//   bci_rewrite --patch PATCH... [--hook-class CLASS] [-o DIR] INPUT...
//   INPUT   class file, directory, or jar
//   NAMES   objects, arrays, calls, enter, return, throw (comma separated), all, none
//   CLASS   internal name of the class whose static methods are called
//   PATCH   "CALL after seen(ILjava/lang/Object;)V METHODID STACK", see parse_patch() in
//           every_patch.h; "every" = all sites with all values; may be given several times
//           @FILE: one per line
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include "bci/tool/every_hook.h"
#include "bci/tool/every_patch.h"
#include "bci/tool/jar_reader.h"

namespace {

struct Options {
  std::string hooks = "all";
  std::string hook_class = "java/lang/DdmTracker";
  std::string output;  // directory; empty = only count
  bool reencode = false;
  std::vector<std::string> patches;
  std::vector<std::string> inputs;
};

int usage(const std::string& problem) {
  std::cerr
      << "bci_rewrite: " << problem << "\n"
      << "usage: bci_rewrite [--hooks all|none|objects,arrays,calls,enter,return,throw]\n"
      << "                   [--hook-class CLASS] [--reencode] [-o DIR] CLASS|DIR|JAR...\n"
      << "       bci_rewrite --patch PATCH... [--hook-class CLASS] [-o DIR] CLASS|DIR|JAR...\n";
  return 2;
}

// The patch itself, or the content of the file that it names.
bool add_patches(const std::string& patch, std::vector<std::string>& patches) {
  if (!patch.starts_with('@')) {
    patches.push_back(patch);
    return true;
  }
  std::ifstream in(patch.substr(1));
  for (std::string line; std::getline(in, line);) {
    if (!line.empty() && line[0] != '#') patches.push_back(line);
  }
  return in.eof();
}

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

class Run {
 public:
  explicit Run(const Options& options) : options_(options), every_(options.hook_class) {}

  bool choose() {
    if (options_.hooks == "none") return true;
    for (std::size_t from = 0; from <= options_.hooks.size();) {
      const std::size_t comma = std::min(options_.hooks.find(',', from), options_.hooks.size());
      if (!every_.add(options_.hooks.substr(from, comma - from))) return false;
      from = comma + 1;
    }
    return true;
  }

  bool plan(std::string& error) {
    for (const std::string& words : options_.patches) {
      if (words == "every") {
        bci::PatchPlan every = bci::every_patch(options_.hook_class);
        for (bci::MethodPatches& each : every.methods) plan_.methods.push_back(std::move(each));
        continue;
      }
      auto patch = bci::parse_patch(words, options_.hook_class, error);
      if (!patch) return false;
      plan_.methods.push_back(std::move(*patch));
    }
    plan_.test_class = options_.hook_class;
    return true;
  }

  void take(const std::string& name, bci::ByteSpan bytes) {
    const double start = cpu_seconds();
    const bci::RewriteResult result = change(bytes);
    seconds_ += cpu_seconds() - start;
    ++classes_;
    bytes_ += bytes.size();
    methods_ += result.changed.size();
    for (const auto& skipped : result.skipped) {
      ++skipped_["method " + std::string(to_string(skipped.reason)) + " " + skipped.transformation];
    }
    const bool changed = result.status == bci::RewriteStatus::kChanged;
    if (result.status == bci::RewriteStatus::kSkipped) {
      ++skipped_["class " + std::string(to_string(result.reason))];
    }
    if (changed) {
      ++changed_;
      bytes_out_ += result.bytes.size();
      if (std::equal(bytes.begin(), bytes.end(), result.bytes.begin(), result.bytes.end())) ++same_;
    } else {
      bytes_out_ += bytes.size();
    }
    if (!options_.output.empty()) store(name, changed ? bci::ByteSpan(result.bytes) : bytes);
  }

  void report() const {
    std::cout << classes_ << " classes, " << bytes_ << " bytes in, " << bytes_out_ << " out; "
              << changed_ << " written (" << same_ << " with the same bytes), " << methods_
              << " methods changed, " << seconds_ << " s CPU\n";
    for (const auto& [site, count] : patched_) {
      std::cout << "  patched: " << site << " " << count << "\n";
    }
    for (const auto& [reason, count] : skipped_) {
      std::cout << "  skipped: " << reason << " " << count << "\n";
    }
  }
  bool ok() const { return ok_; }

 private:
  bci::RewriteResult change(bci::ByteSpan bytes) {
    if (options_.patches.empty()) {
      return bci::rewrite(bytes, every_.chosen(), {options_.reencode});
    }
    bci::PatchResult patched = bci::patch_class(bytes, plan_, ids_);
    for (const bci::PatchedMethod& method : patched.methods) {
      for (const bci::PatchedSite& site : method.sites) {
        ++patched_[std::string(to_string(site.kind))];
      }
    }
    for (const bci::RefusedSite& site : patched.refused) {
      ++skipped_[std::string(to_string(site.kind)) + " " + std::string(to_string(site.reason)) +
                 (site.detail.empty() ? "" : ": " + site.detail)];
    }
    return std::move(patched.rewrite);
  }

  void store(const std::string& name, bci::ByteSpan bytes) {
    const std::filesystem::path path = std::filesystem::path(options_.output) / name;
    std::error_code failed;
    std::filesystem::create_directories(path.parent_path(), failed);
    std::ofstream out(path, std::ios::binary);
    out.write(reinterpret_cast<const char*>(bytes.data()),
              static_cast<std::streamsize>(bytes.size()));
    if (out.flush()) return;
    if (ok_) std::cerr << "bci_rewrite: cannot write " << path.string() << "\n";
    ok_ = false;
  }

  const Options& options_;
  bci::EveryHook every_;
  bci::PatchPlan plan_;
  bci::PatchIdTable ids_;
  std::map<std::string, long> skipped_, patched_;
  long classes_ = 0, changed_ = 0, same_ = 0;
  std::size_t methods_ = 0, bytes_ = 0, bytes_out_ = 0;
  double seconds_ = 0;
  bool ok_ = true;
};

}  // namespace

int main(int argc, char** argv) {
  Options options;
  const std::map<std::string, std::string*> texts = {
      {"--hooks", &options.hooks}, {"--hook-class", &options.hook_class}, {"-o", &options.output}};
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    const auto text = texts.find(argument);
    if ((text != texts.end() || argument == "--patch") && i + 1 == argc) {
      return usage(argument + " needs a value");
    }
    if (text != texts.end()) {
      *text->second = argv[++i];
    } else if (argument == "--patch") {
      const std::string patch = argv[++i];
      if (!add_patches(patch, options.patches)) return usage("cannot read " + patch);
    } else if (argument == "--reencode") {
      options.reencode = true;
    } else if (argument.starts_with("-")) {
      return usage("unknown option " + argument);
    } else {
      options.inputs.push_back(argument);
    }
  }
  if (options.inputs.empty()) return usage("nothing to rewrite");
  Run run(options);
  std::string problem;
  if (!run.choose()) return usage("unknown hook in " + options.hooks);
  if (!run.plan(problem)) return usage(problem);
  for (const std::string& input : options.inputs) {
    std::string error;
    const auto take = [&](const std::string& name, bci::ByteSpan bytes) { run.take(name, bytes); };
    if (!bci::for_each_class(input, take, error)) {
      std::cerr << "bci_rewrite: " << error << "\n";
      return 1;
    }
  }
  run.report();
  return run.ok() ? 0 : 1;
}
