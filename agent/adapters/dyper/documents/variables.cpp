#include "adapters/dyper/documents/variables.h"

#include <algorithm>
#include <iterator>
#include <variant>

#include "adapters/dyper/documents/xml_reader.h"
#include "adapters/dyper/documents/xml_writer.h"
#include "core/whole_text.h"

namespace ddm {
namespace {

using Number = std::int64_t DyperVariables::*;
using Flag = bool DyperVariables::*;
using Text = std::string DyperVariables::*;
struct OfDetail {
  DetailRule DyperVariables::*rule;
  double DetailRule::*figure;
};
struct NumericFlag {  // "0" and "1", as DETAIL_ALL is
  bool DyperVariables::*flag;
};

struct Rule {
  std::string_view name;
  std::variant<Number, Flag, Text, OfDetail, NumericFlag> where;
  std::int64_t low = 0;
  std::int64_t high = 0;
};

using V = DyperVariables;
using D = DetailRule;
constexpr std::int64_t kHour = 3'600'000;
constexpr std::int64_t kMostFrames = 1024;

const Rule kRules[] = {
    {"CHECKTIME", &V::check_ms, 1, kHour},
    {"DISABLETIME", &V::disable_ms, 10, kHour},
    {"REPORTTIME", &V::report_ms, 0, 24 * kHour},
    {"MONITOR", &V::monitor},
    {"SHOWSTACK", &V::show_stack},
    {"CONTENTION", &V::contention},
    {"CPUTIME", &V::cpu_time},
    {"MAXDEPTH", &V::max_depth, 1, kMostFrames},
    {"THREAD_DEFAULT", &V::thread_default},
    {"FULLMONITORING", &V::full_monitoring},
    {"REPORTING", &V::reporting},
    {"CLASSPATH", &V::class_path},
    {"DETAIL_ALL", NumericFlag{&V::detail_all}},
    {"MIN_COUNTER", &V::min_counter, 0, 1'000'000'000},
    {"ALLOC_MONITOR", &V::alloc_monitor},
    {"ALLOC_UNMONITOR", &V::alloc_unmonitor},
    {"CLASS_DETAIL_MIN_TOTAL", OfDetail{&V::class_detail, &D::min_total}},
    {"CLASS_DETAIL_MINIMUM", OfDetail{&V::class_detail, &D::minimum}},
    {"CLASS_DETAIL_THRESHOLD", OfDetail{&V::class_detail, &D::threshold}},
    {"CLASS_DETAIL_STOP_THRESHOLD", OfDetail{&V::class_detail, &D::stop_threshold}},
    {"METHOD_DETAIL_MIN_TOTAL", OfDetail{&V::method_detail, &D::min_total}},
    {"METHOD_DETAIL_MINIMUM", OfDetail{&V::method_detail, &D::minimum}},
    {"METHOD_DETAIL_THRESHOLD", OfDetail{&V::method_detail, &D::threshold}},
    {"METHOD_DETAIL_STOP_THRESHOLD", OfDetail{&V::method_detail, &D::stop_threshold}},
};

std::optional<std::string> wrong(std::string_view value, const std::string& right) {
  return "'" + std::string(value) + "' is not " + right;
}

// The error; nullopt: the value is set.
std::optional<std::string> apply(V& v, const Rule& rule, Number number, std::string_view value) {
  const auto parsed = number_in<std::int64_t>(value);
  if (!parsed || *parsed < rule.low || *parsed > rule.high) {
    return wrong(value,
                 "a number from " + std::to_string(rule.low) + " to " + std::to_string(rule.high));
  }
  v.*number = *parsed;
  return {};
}

std::optional<std::string> apply(V& v, const Rule&, Flag flag, std::string_view value) {
  if (const auto read = boolean_of(value)) {
    v.*flag = *read;
    return std::nullopt;
  }
  return wrong(value, "true or false");
}

std::optional<std::string> apply(V& v, const Rule& rule, Text text, std::string_view value) {
  const bool of_allocations = rule.name.starts_with("ALLOC_");
  if (of_allocations && value != "COUNT" && value != "TYPE" && value != "SOURCE") {
    return wrong(value, "COUNT, TYPE or SOURCE");
  }
  v.*text = value;
  return {};
}

std::optional<std::string> apply(V& v, const Rule&, OfDetail detail, std::string_view value) {
  const auto parsed = number_in<double>(value);
  if (!parsed || !(*parsed >= 0 && *parsed <= 1e15)) {
    return wrong(value, "a number from 0 on");
  }
  v.*detail.rule.*detail.figure = *parsed;
  return {};
}

std::optional<std::string> apply(V& v, const Rule&, NumericFlag number, std::string_view value) {
  if (value != "0" && value != "1") return wrong(value, "0 or 1");
  v.*number.flag = value == "1";
  return {};
}

std::string show(const V& v, Number number) { return std::to_string(v.*number); }
std::string show(const V& v, Flag flag) { return v.*flag ? "true" : "false"; }
std::string show(const V& v, Text text) { return v.*text; }
std::string show(const V& v, OfDetail detail) { return decimal(v.*detail.rule.*detail.figure); }
std::string show(const V& v, NumericFlag number) { return v.*number.flag ? "1" : "0"; }

}  // namespace

Result<bool> DyperVariables::set(std::string_view name, std::string_view value) {
  const auto rule = std::ranges::find(kRules, name, &Rule::name);
  if (rule == std::end(kRules)) return false;
  const auto bad =
      std::visit([&](auto where) { return apply(*this, *rule, where, value); }, rule->where);
  if (bad) return Error{std::string(name) + ": " + *bad};
  return true;
}

std::optional<std::string> DyperVariables::get(std::string_view name) const {
  const auto rule = std::ranges::find(kRules, name, &Rule::name);
  if (rule == std::end(kRules)) return {};
  return std::visit([&](auto where) { return show(*this, where); }, rule->where);
}

}  // namespace ddm
