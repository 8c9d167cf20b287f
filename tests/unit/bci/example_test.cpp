// The examples of docs/bci.md, and the class files that the fuzzer starts from.
#include <filesystem>
#include <fstream>
#include <iterator>

#include "bci/opcodes.h"
#include "rewritten.h"

using namespace bci;
using namespace bci::test;

namespace {

class LockHook : public Transformation {
 public:
  bool holds_hook(std::string_view class_name) const override { return class_name == "Locks"; }
  void apply(ClassContext& context) const override {
    for (MethodContext& method : context.methods()) {
      if (!method.opcodes().test(kMonitorenter)) continue;
      CodeEditor* editor = method.editor();
      if (editor == nullptr) continue;
      for (Label label = 0; label < editor->code().end_label(); ++label) {
        if (editor->code().instructions[label].opcode != kMonitorenter) continue;
        editor->before(label,
                       editor->snippet().dup().call({"Locks", "wanted", "(Ljava/lang/Object;)V"}));
      }
    }
  }
};

template <typename Use>
void for_each_seed(Use use) {
  int seeds = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(DDM_SOURCE_DIR "/tests/corpus/bci")) {
    if (entry.path().extension() != ".class") continue;  // what the fuzzer found, not a compiler's
    std::ifstream in(entry.path(), std::ios::binary);
    const Bytes bytes(std::istreambuf_iterator<char>(in), {});
    INFO(entry.path());
    use(bytes);
    ++seeds;
  }
  CHECK(seeds > 10);
}

}  // namespace

TEST_CASE("a transformation of one's own edits code without thinking of offsets") {
  ClassBuilder cls("Sample", 61);
  cls.method(kStatic, "lock", "(Ljava/lang/Object;)V")
      .stack(1)
      .locals(1)
      .op({kAload0, kMonitorenter, kAload0, 0xc3, 0xb1});
  const LockHook hook;
  const Rewritten after(rewrite_with(cls.build(), {&hook}));
  const Bytes code = after.bytecode("lock");
  REQUIRE(code.size() == 9);
  CHECK(code[1] == kDup);
  CHECK(after.callee("lock", 2) == "Locks.wanted (Ljava/lang/Object;)V");
  CHECK(code[5] == kMonitorenter);
}

TEST_CASE("classes of javac and ecj come back byte for byte when every method is written anew") {
  for_each_seed([](const Bytes& bytes) {
    const RewriteResult result = rewrite_with(bytes, {}, {.reencode_all = true});
    CHECK(result.skipped.empty());
    if (result.status == RewriteStatus::kChanged) CHECK(result.bytes == bytes);
    CHECK(result.status != RewriteStatus::kSkipped);
  });
}
