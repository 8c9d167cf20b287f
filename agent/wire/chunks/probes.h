// Probes: PRBS installs some, PRBQ reads their findings, PRBE removes them. PRBW: what a user should
// know before probes or a trace change classes. A DDM extension; FEAT names it `probes`.
#pragma once

#include <optional>
#include <utility>

#include "wire/chunks/thread_chunks.h"

namespace ddm {

inline constexpr std::string_view kProbesFeature = "probes";

// What a probe records besides its number of hits.
enum ProbeWhat : std::uint8_t {
  kProbeTime = 1,
  kProbeArguments = 2,
  kProbeReturn = 4,
  kProbeThrows = 8,
  kProbeStack = 16,
  kProbeThis = 32,  // with some of the others; in a record: it is the first of the arguments
};

// PRBS, request.   u1 what, str methods, str condition, u4 line, str field, u4 records, u4 budget,
//                  optional: u1 depth
struct ProbeRequest {
  static constexpr ChunkType kType = chunk_type("PRBS");
  static constexpr std::uint32_t kMostRecords = 100'000;
  static constexpr std::uint8_t kMostDepth = 5;
  std::uint8_t what = 0;      // ProbeWhat
  std::string methods{};      // patterns as in ddm trace: "shop.Cart.total", "shop.*"
  std::string condition{};    // "arg1 > 100"; "": always
  std::uint32_t line = 0;     // 0: the whole method
  std::string field{};        // "Cart.sum": probes accesses of the field; "": none
  std::uint32_t records = 0;  // recorded hits of a method, at most
  std::uint32_t budget = 0;   // percent of CPU; 0: the agent's option
  // To which recorded objects are shown with their fields; nothing, as 0: by class and hash.
  std::optional<std::uint8_t> depth{};

  bool recorded() const {
    return (what & (kProbeArguments | kProbeReturn | kProbeThrows | kProbeStack)) != 0;
  }
  static constexpr auto kFields = std::tuple(
      &ProbeRequest::what, &ProbeRequest::methods, &ProbeRequest::condition, &ProbeRequest::line,
      &ProbeRequest::field, &ProbeRequest::records, &ProbeRequest::budget, &ProbeRequest::depth);
};

// PRBQ, request.   [u1 1 = with records[, u1 1 = without messages, which may need all stacks]]
// PRBE, request, has no data. The reply to each of the three:
//
//   u4 limit in percent, u4 used in 1/1000 percent, u4 count, str each: messages
//   u4 count, x { str class, str method, str signature, str why not installed, u8 hits, u8 ns,
//                 u1 count, u8 each: calls of less than 1, 2, 4, ... ns,
//                 u4 count, x record }
//   record: u8 number, str thread, u1 what (ProbeWhat), u8 ns, u1 count, str each argument,
//           str returned, str thrown, u4 count, x { str class, str method, str file, s4 line }
struct ProbeFindings {
  using Frame = ThreadStack::Frame;
  struct Record {
    std::uint64_t number = 0;  // in order of entry
    std::string thread;
    std::uint8_t what = 0;  // which of the following are present
    std::uint64_t ns = 0;
    std::vector<std::string> arguments;
    std::string returned, thrown;
    std::vector<Frame> stack;
    static constexpr auto kFields = std::tuple(&Record::number, &Record::thread, &Record::what,
                                               &Record::ns, ShortList{&Record::arguments},
                                               &Record::returned, &Record::thrown, &Record::stack);
  };
  struct Method {
    std::string class_name, method, signature;
    std::string
        removed;  // why it is not installed; "": it is, or was until the request to remove it
    std::uint64_t hits = 0;
    std::uint64_t ns = 0;
    std::vector<std::uint64_t> times;
    std::vector<Record> records;
    static constexpr auto kFields =
        std::tuple(&Method::class_name, &Method::method, &Method::signature, &Method::removed,
                   &Method::hits, &Method::ns, ShortList{&Method::times}, &Method::records);
  };
  std::uint32_t limit_percent = 0;
  std::uint32_t used_millis = 0;  // 1/1000 of a percent
  std::vector<std::string> notes;
  std::vector<Method> methods;
  static constexpr auto kFields =
      std::tuple(&ProbeFindings::limit_percent, &ProbeFindings::used_millis, &ProbeFindings::notes,
                 &ProbeFindings::methods);
};

inline constexpr ChunkType kAskProbes = chunk_type("PRBQ");
inline constexpr ChunkType kEndProbes = chunk_type("PRBE");

// PRBW, request.   str methods, str more methods: patterns as in ddm trace
//                  optional, for probes: u4 line, str field, as in PRBS; classes that get none are
//                  left out then. Older agents ignore them.
struct OutlookRequest {
  static constexpr ChunkType kType = chunk_type("PRBW");
  std::string methods{}, more{};  // `more` may be ""
  std::optional<std::uint32_t> line{};
  std::optional<std::string> field{};
  static constexpr auto kFields = std::tuple(&OutlookRequest::methods, &OutlookRequest::more,
                                             &OutlookRequest::line, &OutlookRequest::field);
};

// The reply.
//   u4 number of changes from which on they do harm, 0 = no limit
//   u4 count, str each: methods of the classes that are active on a stack, "shop.Cart.total"
//   u4 count, x { str class, u4 changes so far }: classes at or above that limit
struct ClassOutlook {
  static constexpr ChunkType kType = chunk_type("PRBW");
  std::uint32_t many = 0;
  std::vector<std::string> running{};
  std::vector<std::pair<std::string, std::uint32_t>> changed{};
  static constexpr auto kFields =
      std::tuple(&ClassOutlook::many, &ClassOutlook::running, &ClassOutlook::changed);
};

}  // namespace ddm
