#include "report/hprof/hprof_heap_text.h"

#include <catch2/catch.hpp>
#include <string>

#include "dump_sample.h"
#include "report/report_pieces.h"

namespace ddm {
namespace {

std::string text_of(const std::string& dump, std::string* error = nullptr) {
  const DumpFile file(dump);
  std::string text;
  HprofHeapSizes sizes;
  sizes.instances = {{"a/B", 40}};
  const std::string problem = hprof_heap_text(file.fd(), sizes, 0, into(text));
  if (error != nullptr) {
    *error = problem;
  } else {
    CHECK(problem.empty());
  }
  return text;
}

}  // namespace

TEST_CASE("a heap dump in text has roots, classes, objects and arrays with their references") {
  const std::string text = text_of(small_dump().bytes);
  CHECK(text.rfind("HEAP DUMP BEGIN (3 objects, 96 bytes) ", 0) == 0);
  const std::string body = text.substr(text.find('\n') + 1);
  CHECK(body ==
        "CLS 10 (name=java.lang.Object, trace=300000)\n"
        "CLS 20 (name=a.B, trace=300000)\n"
        "\tsuper\t\t10\n"
        "\tstatic cache\t500\n"
        "OBJ 500 (sz=40, trace=300000, class=a.B@20)\n"
        "\tnext\t600\n"
        "\tinherited\t700\n"
        "ARR 600 (sz=32, trace=300000, nelems=3, elem type=a.B@30)\n"
        "\t[1]\t\t500\n"
        "ARR 700 (sz=24, trace=300000, nelems=3, elem type=short)\n"
        "ROOT 20 (kind=<system class>, name=a.B)\n"
        "ROOT 500 (kind=<thread>, id=4, trace=300000)\n"
        "ROOT 600 (kind=<Java stack>, thread=4, frame=2)\n"
        "ROOT 600 (kind=<JNI global ref>, id=99, trace=300000)\n"
        "HEAP DUMP END\n");
}

TEST_CASE("a heap dump that ends early, or is none, is told and never read beyond its end") {
  const std::string whole = small_dump().bytes;
  std::string error;
  for (std::size_t size = 0; size < whole.size() - 9; ++size) {
    text_of(whole.substr(0, size), &error);  // terminates
  }
  text_of("no dump at all", &error);
  CHECK(error == "this is no heap dump");
  std::string broken = whole;
  broken[broken.find("\x23", 300)] = 0x77;
  text_of(broken, &error);
  CHECK_FALSE(error.empty());
}

}  // namespace ddm
