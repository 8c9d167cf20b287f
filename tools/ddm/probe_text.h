// The findings of probes as tables and as JSON, and what they have found in intervals as lines.
#pragma once

#include <string>
#include <vector>

#include "json_values.h"
#include "wire/chunks/probes.h"

namespace ddm {

// Why a method has no probe.
std::string reason_text(const ProbeFindings::Method& method);

// Whether any method has a probe.
bool any_probe_in(const ProbeFindings& findings);
// A line for each reason why methods have none: "shop.Cart.pay and 3 more: a native method ...".
std::vector<std::string> reasons_text(const ProbeFindings& findings);
// Removes from the findings what the start has told: notes, and reasons if no method had a probe.
void remove_told(const ProbeFindings& start, ProbeFindings& findings);

// Most hits first, with times most time; methods that have got no probe last.
void sort_methods(const ProbeRequest& request, ProbeFindings& findings);

std::string probe_text(const ProbeRequest& request, const ProbeFindings& findings,
                       std::size_t width);
Json probe_json(const ProbeRequest& request, const ProbeFindings& findings);

// Intervals follow one another: each is from the call for the previous one, or from the start.
class ProbeIntervals {
 public:
  explicit ProbeIntervals(const ProbeRequest& request) : request_(request) {}

  // `findings`: those so far; `at`: seconds since the start. A line for each method that had hits,
  // or whose calls ended, in the interval; below titles the first time.
  std::string text(const ProbeFindings& findings, double at, std::size_t width);
  Json json(const ProbeFindings& findings, double at);

 private:
  ProbeFindings next(const ProbeFindings& findings);

  const ProbeRequest request_;
  ProbeFindings before_;
  double before_at_ = 0;
  bool titled_ = false;
};

}  // namespace ddm
