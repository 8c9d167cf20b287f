#include "wire/chunks/probes.h"

#include <algorithm>
#include <catch2/catch.hpp>

using namespace ddm;

TEST_CASE("a request for probes reads as it was written") {
  const ProbeRequest request{
      kProbeTime | kProbeStack, "shop.Cart.total", "arg1 > 100", 42, "sum", 1000, 3};
  CHECK(decode<ProbeRequest>(encode(request)) == request);
  const Bytes bytes = encode(request);
  CHECK_FALSE(decode<ProbeRequest>(ByteSpan(bytes).first(bytes.size() - 1)));
}

TEST_CASE("a request for probes may end before the depth, and agents may read it so") {
  ProbeRequest request{kProbeArguments, "shop.Cart.total", "", 0, "", 1000, 3};
  const Bytes old = encode(request);
  CHECK_FALSE(decode<ProbeRequest>(old)->depth);
  request.depth = 2;
  const Bytes bytes = encode(request);
  CHECK(decode<ProbeRequest>(bytes)->depth == 2);
  REQUIRE(bytes.size() == old.size() + 1);
  CHECK(std::equal(old.begin(), old.end(), bytes.begin()));
}

TEST_CASE("what probes have found reads as it was written") {
  ProbeFindings findings;
  findings.limit_percent = 5;
  findings.used_millis = 1234;
  findings.notes = {"one", "two"};
  ProbeFindings::Method method{"shop.Cart", "total", "(I)I", "budget", 7, 99, {0, 3, 4}, {}};
  method.records.push_back({1,
                            "main",
                            kProbeArguments | kProbeReturn,
                            12,
                            {"3", "null"},
                            "6",
                            "",
                            {{"shop.Main", "main", "Main.java", 4}, {"A", "b", "", -2}}});
  findings.methods = {method, ProbeFindings::Method{}};
  CHECK(decode<ProbeFindings>(encode(findings)) == findings);
  const Bytes bytes = encode(findings);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    CHECK_FALSE(decode<ProbeFindings>(ByteSpan(bytes).first(size)));
  }
}

TEST_CASE("what is in the way of a change of classes reads as it was written") {
  const OutlookRequest request{"shop.*", "*.Cart.total"};
  CHECK(decode<OutlookRequest>(encode(request)) == request);
  const OutlookRequest of_probes{"shop.*", "", 42, "Cart.sum"};
  const auto read = decode<OutlookRequest>(encode(of_probes));
  REQUIRE(read == of_probes);
  CHECK(read->line == 42);
  CHECK(read->field == "Cart.sum");
  const ClassOutlook outlook{150, {"shop.Main.main", "shop.Cart.loop"}, {{"shop.Cart", 151}}};
  const Bytes bytes = encode(outlook);
  CHECK(decode<ClassOutlook>(bytes) == outlook);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    CHECK_FALSE(decode<ClassOutlook>(ByteSpan(bytes).first(size)));
  }
}
