#include "time/trace_file.h"

#include <string_view>
#include <utility>

#include "core/log.h"
#include "report/report.h"
#include "wire/chunks/profiling.h"

namespace ddm {
namespace {

std::string_view text_in(ByteSpan bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

void TraceFile::add(const TraceEvent& event) {
  const auto record = records_.encode(event);
  bytes_.insert(bytes_.end(), record.begin(), record.end());
  if (bytes_.size() >= StoredData::kFrom && can_store_) store();
}

void TraceFile::store() {
  if (!stored_) {
    auto created = StoredData::create();
    if (!created) return keep_in_memory(0);
    stored_ = std::move(*created);
  }
  const std::uint64_t before = stored_->size();
  if (stored_->append(bytes_)) return keep_in_memory(before);
  bytes_.clear();
}

// The disk is full: what is stored comes back, and the rest stays.
void TraceFile::keep_in_memory(std::uint64_t stored_bytes) {
  can_store_ = false;
  if (stored_bytes == 0) return stored_.reset();
  auto all = stored_->read(0, stored_bytes);
  if (!all) return log_error("method trace: its first calls are lost: {}", all.message());
  stored_.reset();
  all->insert(all->end(), bytes_.begin(), bytes_.end());
  bytes_ = std::move(*all);
}

void TraceFile::finish(const MethodTrace& trace) {
  head_ = trace_head(trace, records_);
  if (stored_) store();
}

Chunk TraceFile::take() {
  Bytes data(head_.begin(), head_.end());
  data.insert(data.end(), bytes_.begin(), bytes_.end());
  bytes_ = {};
  return {kTraceData, std::move(data), std::move(stored_)};
}

std::optional<Error> TraceFile::write(const std::string& path) const {
  return write_report_file(path, [this](const ReportSink& sink) {
    bool good = sink(head_);
    if (stored_) {
      good = good && !stored_->read_to([&](ByteSpan piece) -> std::optional<Error> {
        if (sink(text_in(piece))) return {};
        return Error{"not written"};
      });
    }
    return good && sink(text_in(bytes_));
  });
}

}  // namespace ddm
