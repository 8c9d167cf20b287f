#include "allocations/tracking_options.h"

#include <fmt/format.h>

#include "allocations/store/sampling.h"

namespace ddm {
namespace {

constexpr std::int64_t kMaxLiveShare = 65536;

Wrong read_live(std::string_view value, std::uint32_t* to) {
  std::int64_t n = value == "y" ? 1 : 0;
  if (value != "y" && value != "n" &&
      !(value.starts_with("1/") && number(value.substr(2), 1, kMaxLiveShare, false, &n).empty())) {
    return fmt::format("\"{}\" is not n, y or 1/N with N from 1 to {}", value, kMaxLiveShare);
  }
  *to = static_cast<std::uint32_t>(n);
  return "";
}

}  // namespace

std::vector<OptionRow> AllocationOptions::rows() {
  using enum OptionRow::Reload;
  return {
      {"track", "y|n", "record from the start (y with live=y, dump= alone)", kTaken,
       [this](std::string_view v) { return yes_no(v, &track.emplace()); }},
      {"engine", "vm|bci", "the VM's own allocation events, or rewritten bytecode", kTaken,
       [this](std::string_view v) {
         engine_chosen = true;
         return one_of(v, "vm, bci", {EngineKind::kVm, EngineKind::kBci}, &engine);
       }},
      {"hooks", "demand|start", "engine=bci: when classes are rewritten (demand)", kRefused,
       [this](std::string_view v) {
         return one_of(v, "demand, start", {false, true}, &hooks_at_start);
       }},
      {"interval", "BYTES", "engine=vm: bytes between samples (0 = every object)", kTaken,
       [this](std::string_view v) { return number(v, 0, kMaxSamplingInterval, true, &interval); }},
      {"records", "N", "most recent allocations kept, 1 to 1m (65536)", kTaken,
       [this](std::string_view v) { return number32(v, kMaxRecords, &records); }},
      {"depth", "N", "frames of each of these, 1 to 64 (16)", kTaken,
       [this](std::string_view v) { return number32(v, kMaxDepth, &depth); }},
      {"sites", "N", "stacks counted over the whole run, 0 = none (256k)", kTaken,
       [this](std::string_view v) { return number32(v, kMaxTraces, &sites, 0); }},
      {"sites_depth", "N", "frames of each of these stacks, 1 to 1024 (1024)", kTaken,
       [this](std::string_view v) { return number32(v, kMaxTreeDepth, &sites_depth); }},
      {"live", "n|y|1/N", "live objects by site; 1/N: sample one object in N", kTaken,
       [this](std::string_view v) { return read_live(v, &live); }},
      {"ring", "PATH", "keep the records in a file that survives a kill", kRefused,
       [this](std::string_view v) {
         ring = v;
         return Wrong();
       }},
      {"walker", "auto|vm|asgct|jvmti", "stack walker (auto)", kRefused,
       [this](std::string_view v) {
         return one_of(v, "auto, vm, asgct, jvmti",
                       {WalkerKind::kAuto, WalkerKind::kVm, WalkerKind::kAsgct, WalkerKind::kJvmti},
                       &walker);
       }},
  };
}

std::string AllocationOptions::present(std::string_view option) const {
  if (option == "engine") return engine == EngineKind::kBci ? "bci" : "vm";
  return option == "interval" ? fmt::format("{}", interval) : "";
}

Wrong AllocationOptions::conflict(const GivenOptions& given) const {
  if (given.has("interval") && interval > 0 && engine != EngineKind::kVm) {
    return "option interval needs engine=vm";
  }
  if (given.has("hooks") && hooks_at_start && engine != EngineKind::kBci) {
    return "option hooks=start needs engine=bci";
  }
  if (given.has("live") && live > 0 && sites == 0) {
    return "option live needs sites, and sites=0 switches them off";
  }
  return "";
}

}  // namespace ddm
