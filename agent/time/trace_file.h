// A trace's file, made while its events are read: its records go to StoredData as they come, and
// what precedes them in the file is short.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "core/result.h"
#include "report/traces/method_trace.h"
#include "wire/chunks/chunk.h"

namespace ddm {

class TraceFile {
 public:
  explicit TraceFile(bool dual) : records_(dual) {}

  // In order of time.
  void add(const TraceEvent& event);
  // After the last event; those of `trace` are not looked at.
  void finish(const MethodTrace& trace);

  // The answer to MPSE or SPSE; the file is empty then.
  Chunk take();
  std::optional<Error> write(const std::string& path) const;

 private:
  void store();
  void keep_in_memory(std::uint64_t stored_bytes);

  TraceRecords records_;
  std::string head_;
  std::shared_ptr<StoredData> stored_;  // precedes bytes_; null: nothing
  Bytes bytes_;
  bool can_store_ = true;
};

}  // namespace ddm
