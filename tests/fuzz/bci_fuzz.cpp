// Bytes from anywhere, rewritten in every way and patched at every site at once: no crash, and what
// comes out parses again.
#include <cstdio>
#include <cstdlib>

#include "bci/tool/every_hook.h"
#include "bci/tool/every_patch.h"

namespace {

const bci::EveryHook& every_hook() {
  static const bci::EveryHook* const hooks = [] {
    auto* all = new bci::EveryHook("T");
    all->add("all");
    return all;
  }();
  return *hooks;
}

bci::PatchResult patched(bci::ByteSpan bytes) {
  static const auto* const plan = new bci::PatchPlan(bci::every_patch("T"));
  bci::HashedIds ids;
  bci::blocks_of(bytes, *plan);
  return bci::patch_class(bytes, *plan, ids);
}

void demand(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "bci_fuzz: %s\n", what);
  std::abort();
}

// What was understood before must be understood again, so that it could be rewritten once more.
void check(bci::ByteSpan before, const bci::RewriteResult& result) {
  if (result.status != bci::RewriteStatus::kChanged) {
    demand(result.bytes.empty() && result.changed.empty(), "bytes without a change");
    return;
  }
  bci::SkipReason why{};
  const auto old_file = bci::ClassFile::parse(before, why);
  const auto file = bci::ClassFile::parse(result.bytes, why);
  demand(old_file && file, "the outcome does not parse");
  demand(old_file->methods.size() == file->methods.size(), "methods were lost");
  for (std::size_t i = 0; i < file->methods.size(); ++i) {
    const auto& old_code = old_file->methods[i].code;
    const auto& code = file->methods[i].code;
    demand(old_code.has_value() == code.has_value(), "code was lost");
    if (!code || !bci::Code::decode(old_code->body, old_file->pool, why)) continue;
    demand(bci::Code::decode(code->body, file->pool, why).has_value(),
           "written code is not understood");
  }
  for (const bci::ChangedMethod& changed : result.changed) {
    const std::uint32_t last = changed.bci_map.empty() ? 0 : changed.bci_map.back().new_bci;
    for (std::uint32_t bci = 0; bci < last + 16; ++bci) {
      bci::original_bci(changed.bci_map, static_cast<std::uint16_t>(bci));
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const bci::ByteSpan bytes(data, size);
  check(bytes, bci::rewrite(bytes, every_hook().chosen()));
  check(bytes, bci::rewrite(bytes, {}, {.reencode_all = true}));
  check(bytes, patched(bytes).rewrite);
  return 0;
}
