#include "bci/rewrite.h"

#include <new>

#include "bci/code_writer.h"

namespace bci {
namespace {

bool is_identity(const std::vector<BciRun>& runs) {
  return runs.size() == 1 && runs[0] == BciRun{0, 0, false};
}

class ClassRewriter {
 public:
  ClassRewriter(ClassFile& file, RewriteResult& result)
      : file_(file), context_(file), result_(result) {}

  void run(std::span<const Transformation* const> transformations, RewriteOptions options) {
    for (const Transformation* transformation : transformations) transformation->apply(context_);
    for (MethodContext& method : context_.methods()) {
      if (options.reencode_all) method.editor();
      write(method, options);
      report_skips(method);
    }
    if (written_.empty()) return;
    result_.bytes = assemble();
    result_.status = RewriteStatus::kChanged;
  }

 private:
  struct Written {
    std::size_t length_at;  // of the old attribute_length
    std::size_t old_length;
    Bytes body;
  };

  void write(MethodContext& method, RewriteOptions options) {
    CodeEditor* editor = method.edited();
    if (editor == nullptr) return;
    SkipReason why = editor->problem();
    if (why != SkipReason::kNone) return method.skip_whole(why);
    if (!editor->changed() && !options.reencode_all) return;
    auto code = write_code(*editor, method.shape(), options.widen_all, why);
    if (!code) return method.skip_whole(why);
    const std::uint64_t shape = code_shape(code->bytecode());
    const CodeOutline& old = *method.outline().code;
    written_.push_back({old.length_at, old.body.size(), std::move(code->body)});
    if (!editor->changed()) return;
    ChangedMethod& changed = result_.changed.emplace_back();
    changed.name = method.name();
    changed.descriptor = method.descriptor();
    changed.shape = shape;
    if (!is_identity(code->bci_map)) changed.bci_map = std::move(code->bci_map);
  }

  void report_skips(const MethodContext& method) {
    for (const MethodContext::Skip& skip : method.skips()) {
      result_.skipped.push_back({std::string(method.name()), std::string(method.descriptor()),
                                 skip.reason, std::string(skip.transformation)});
    }
  }

  // The original file with a longer pool and the new Code attributes; everything else unchanged.
  Bytes assemble() const {
    constexpr std::size_t kPoolCountAt = 8;
    constexpr std::size_t kPoolAt = 10;
    const ByteSpan old = file_.bytes;
    ByteWriter out;
    std::size_t size = old.size() + file_.pool.added_bytes().size();
    for (const Written& written : written_) size += written.body.size();
    out.reserve(size);
    out.append(old.first(kPoolCountAt)).u2(file_.pool.count());
    out.append(old.subspan(kPoolAt, file_.pool_end - kPoolAt)).append(file_.pool.added_bytes());
    std::size_t from = file_.pool_end;
    for (const Written& written : written_) {
      out.append(old.subspan(from, written.length_at - from));
      out.u4(static_cast<std::uint32_t>(written.body.size())).append(written.body);
      from = written.length_at + 4 + written.old_length;
    }
    out.append(old.subspan(from));
    return out.take();
  }

  ClassFile& file_;
  ClassContext context_;
  RewriteResult& result_;
  std::vector<Written> written_;  // in file order
};

RewriteResult rewrite_or_throw(ByteSpan bytes,
                               std::span<const Transformation* const> transformations,
                               RewriteOptions options) {
  RewriteResult result;
  auto file = ClassFile::parse(bytes, result.reason);
  if (!file) {
    result.status = RewriteStatus::kSkipped;
    return result;
  }
  result.class_name = file->name;
  for (const Transformation* transformation : transformations) {
    if (transformation->holds_hook(file->name)) return result;
  }
  ClassRewriter(*file, result).run(transformations, options);
  return result;
}

}  // namespace

RewriteResult rewrite(ByteSpan class_file, std::span<const Transformation* const> transformations,
                      RewriteOptions options) noexcept {
  RewriteResult result;
  result.status = RewriteStatus::kSkipped;
  try {
    return rewrite_or_throw(class_file, transformations, options);
  } catch (const std::bad_alloc&) {
    result.reason = SkipReason::kOutOfMemory;
  } catch (...) {
    result.reason = SkipReason::kBadHook;  // a callback of a transformation threw
  }
  return result;
}

}  // namespace bci
