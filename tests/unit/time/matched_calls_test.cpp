#include "time/calls/matched_calls.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

using ddm::CallAction;
using ddm::CallEvent;

namespace {

// "a" begins method a, "A" is its return, "A!" its end by an exception.
std::string matched(const std::vector<std::string>& told, std::uint16_t thread = 1) {
  ddm::MatchedCalls calls([](ddm::MethodNumber) { return false; });
  std::string found;
  std::uint64_t at = 0;
  for (const std::string& one : told) {
    const bool ends = one[0] < 'a';
    const auto method = static_cast<ddm::MethodNumber>(one[0] - (ends ? 'A' : 'a'));
    const CallAction end = one.size() > 1 ? CallAction::kThrow : CallAction::kReturn;
    calls.add({++at, 7 * at, method, thread, ends ? end : CallAction::kEnter},
              [&](const CallEvent& event) {
                CHECK(event.at == at);
                CHECK(event.cpu == 7 * at);
                CHECK(event.thread == thread);
                found += static_cast<char>((event.action == CallAction::kEnter ? 'a' : 'A') +
                                           static_cast<char>(event.method));
                if (event.action == CallAction::kThrow) found += '!';
              });
  }
  return found;
}

}  // namespace

TEST_CASE("calls that are told from entry to end stay as they are") {
  CHECK(matched({"a", "b", "B", "b", "B!", "A"}) == "abBbB!A");
  CHECK(matched({"a", "a", "a", "A", "A", "A!"}) == "aaaAAA!");
  CHECK(matched({"a", "b"}) == "ab");
}

TEST_CASE("an end without an entry is left out") {
  CHECK(matched({"B", "A", "a", "B", "A", "A"}) == "aA");
}

TEST_CASE("a call that was not seen to end ends with its caller, by an exception") {
  CHECK(matched({"a", "b", "c", "A", "a", "A"}) == "abcC!B!AaA");
  CHECK(matched({"a", "b", "b", "a", "B"}) == "abbaA!B");
}

TEST_CASE("calls of several threads do not end each other") {
  ddm::MatchedCalls calls([](ddm::MethodNumber) { return false; });
  std::vector<CallEvent> found;
  const auto keep = [&](const CallEvent& event) { found.push_back(event); };
  calls.add({1, 0, 5, 1, CallAction::kEnter}, keep);
  calls.add({2, 0, 6, 2, CallAction::kEnter}, keep);
  calls.add({3, 0, 6, 1, CallAction::kReturn}, keep);
  calls.add({4, 0, 5, 1, CallAction::kReturn}, keep);
  REQUIRE(found.size() == 3);
  CHECK((found[2].thread == 1 && found[2].method == 5));
}

TEST_CASE("a constructor that is never seen to end does not pile up, a recursion may") {
  for (const bool constructor : {true, false}) {
    ddm::MatchedCalls calls([&](ddm::MethodNumber method) { return constructor && method == 2; });
    std::size_t open = 0, most = 0, ends = 0;
    const auto count = [&](const CallEvent& event) {
      open += event.action == CallAction::kEnter ? 1 : std::size_t(-1);
      ends += event.action == CallAction::kEnter ? 0 : 1;
      most = std::max(most, open);
    };
    calls.add({0, 0, 1, 1, CallAction::kEnter}, count);
    for (std::uint64_t at = 1; at <= 5000; ++at) {
      calls.add({at, 0, 2, 1, CallAction::kEnter}, count);
      calls.add({at, 0, 3, 1, CallAction::kEnter}, count);
      calls.add({at, 0, 3, 1, CallAction::kReturn}, count);
    }
    CHECK((most < 1100) == constructor);
    calls.add({5001, 0, 1, 1, CallAction::kReturn}, count);
    CHECK(open == 0);
    CHECK(ends == 10'001);
  }
}
