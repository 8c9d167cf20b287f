#include "report/recovery/ring_reader.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <unordered_map>
#include <utility>
#include <vector>

#include "allocations/store/ring_layout.h"
#include "report/recovery/site_reader.h"
#include "report/report_words.h"
#include "stack/tree/node_word.h"

namespace ddm {
namespace {

// Larger values are damage; sums of a million smaller ones do not overflow.
constexpr std::int64_t kLargestSize = std::int64_t{1} << 40;
constexpr float kLargestWeight = 1e9f;
constexpr std::uint64_t kLargestFile = std::uint64_t{1} << 40;
constexpr std::int64_t kLargestFigure = std::int64_t{1} << 60;
constexpr std::int64_t kLatestMs = std::int64_t{1} << 48;
constexpr std::int64_t kMostInterval = std::int64_t{1} << 40;

// At most one of this many record numbers is unused (ticket_run.h).
constexpr std::uint64_t kUnusedOf = 32;

// A running program may switch to the other half of its names during the read.
constexpr int kReadTries = 5;

using NameIds = std::unordered_map<NameId, NameId>;  // the file's ids -> the reader's

class RingImage {
 public:
  explicit RingImage(std::span<const std::byte> image) : image_(image) {}

  Result<RecoveredRing> read() {
    if (auto error = check(); !error.empty()) return Error{std::move(error)};
    RecoveredRing ring;
    for (int i = 0; i < kReadTries; ++i) {
      ring = {};
      const std::uint64_t before = generations();
      // Records first, then sites: what one refers to was stored before it.
      const std::uint64_t next_seq = marks().counters.next_seq.load(std::memory_order_acquire);
      read_records(ring);
      const SiteCopy::Reading sites = read_sites();
      facts_ = read_facts();
      const FileNames names = read_names(ring);
      records_.renumber(names.class_of, names.method_of);
      sites_ = recover(sites, oldest_kept(next_seq), names);
      if (before == generations()) break;
    }
    ring.data.records = std::move(records_);
    ring.data.records.set_listed_frames(header_.depth);
    ring.data.sites = sites_.sites;
    if (image_.size() < header_.file_bytes) {
      ring.cut_off = "the file is cut off: " + grouped(image_.size()) + " of " +
                     grouped(header_.file_bytes) + " bytes";
    }
    summarize(facts_, ring);
    return ring;
  }

  Result<RingHead> head() {
    if (auto error = check(); !error.empty()) return Error{std::move(error)};
    const RingFacts facts = read_facts();
    return RingHead{header_.pid, text_of(facts.app), state(),
                    std::max(time(header_.created_ms), time(facts.updated_ms)),
                    static_cast<std::int64_t>(image_.size())};
  }

 private:
  template <typename T>
  const T& at(std::uint64_t offset) const {
    return *reinterpret_cast<const T*>(image_.data() + offset);
  }
  const RingMarks& marks() const { return at<RingMarks>(kRingMarksAt); }

  // "" or why the file cannot be read.
  std::string check() {
    constexpr std::size_t kMagicBytes = kRingMagic.size();
    if (image_.size() < kMagicBytes ||
        std::memcmp(image_.data(), kRingMagic.data(), kMagicBytes) != 0) {
      return "is no ring file";
    }
    if (image_.size() < kRingHeadBytes) return "is cut off in its head";
    std::memcpy(&header_, image_.data(), sizeof header_);
    if (header_.version < 1 || header_.version > kRingVersion) {
      return "has version " + std::to_string(header_.version) +
             " of the ring file; this ddm reads 1 to " + std::to_string(kRingVersion);
    }
    if (header_.version == 1) header_.nodes = header_.frames = 0;
    if (header_.version <= 2) header_.sites = header_.books = 0;
    if (header_.checksum != ring_checksum(header_) || header_.records < 1 ||
        header_.records > kMaxRecords || header_.depth < 1 || header_.depth > kMaxDepth ||
        header_.slot_bytes != RingSlots::adjacent_bytes(header_.depth) ||
        header_.record_bytes != sizeof(AllocRecord) ||
        !fits(kRingHeadBytes, header_.names_at, header_.names_half_bytes, header_.threads_at) ||
        !fits(header_.names_at, header_.threads_at, header_.threads_half_bytes, header_.slots_at) ||
        !tree_fits()) {
      return "is damaged in its head";
    }
    // Without stacks there are no sites: their place follows from that of the stacks.
    if (header_.nodes == 0) header_.frames = header_.sites = header_.books = 0;
    if (header_.slots_at >= image_.size()) return "is cut off before its records";
    return "";
  }

  // Whether a name section at `at` begins at or after `earliest` and both halves end before `end`.
  static bool fits(std::uint64_t earliest, std::uint64_t at, std::uint64_t half,
                   std::uint64_t end) {
    return at >= earliest && at % alignof(NameSection) == 0 && end % alignof(NameSection) == 0 &&
           end <= kLargestFile && at + sizeof(NameSection) <= end &&
           half <= (end - at - sizeof(NameSection)) / 2;
  }

  bool tree_fits() const {
    const std::uint64_t slots_end =
        header_.slots_at + std::uint64_t{header_.records} * header_.slot_bytes;
    return header_.nodes == 0 ||
           (header_.nodes_at >= slots_end && header_.nodes_at % sizeof(TreeCopy::FrameWord) == 0 &&
            header_.nodes_at < kLargestFile &&
            header_.nodes_at + header_.nodes * sizeof(TreeCopy::Node) <= header_.frames_at &&
            header_.frames_at % sizeof(TreeCopy::FrameWord) == 0 &&
            header_.frames_at < kLargestFile && header_.frames <= NodeWord::kFrame);
  }

  // As many of `count` words as are in the file, which may be truncated. They are only read.
  template <typename Word>
  std::span<Word> words(std::uint64_t offset, std::uint32_t count) const {
    if (offset >= image_.size()) return {};
    const std::uint64_t there = (image_.size() - offset) / sizeof(Word);
    return {reinterpret_cast<Word*>(const_cast<std::byte*>(image_.data() + offset)),
            std::min<std::uint64_t>(count, there)};
  }

  std::uint64_t generations() const {
    return at<NameSection>(header_.names_at).generation +
           at<NameSection>(header_.threads_at).generation;
  }

  // The used part of the valid half.
  std::span<const std::byte> half_of(std::uint64_t section_at, std::uint64_t half_bytes) const {
    const auto& section = at<NameSection>(section_at);
    const std::uint64_t half = section.generation.load(std::memory_order_acquire) % 2;
    const std::uint64_t used =
        std::min(section.used[half].load(std::memory_order_acquire), half_bytes);
    return image_.subspan(section_at + sizeof(NameSection) + half * half_bytes, used);
  }

  // Of a running program, the sites may change during the read.
  SiteCopy::Reading read_sites() const {
    const std::uint64_t at = header_.sites_at();
    if (header_.sites == 0 ||
        at + SiteCopy::bytes_of(header_.sites, header_.books) > image_.size()) {
      return {};
    }
    const SiteCopy copy(const_cast<std::byte*>(image_.data() + at), header_.sites, header_.books);
    SiteCopy::Reading reading;
    for (int i = 0; i < kReadTries && !reading.whole; ++i) reading = copy.read();
    return reading;
  }

  // Records before this seq, which is drawn from `next_seq`, may have been overwritten.
  std::uint64_t oldest_kept(std::uint64_t next_seq) const {
    const std::uint64_t first = marks().counters.first_seq;
    return next_seq > header_.records ? std::max(first, next_seq - header_.records) : first;
  }

  TreeCopy tree() const {
    return {words<TreeCopy::Node>(header_.nodes_at, header_.nodes),
            words<TreeCopy::FrameWord>(header_.frames_at, header_.frames)};
  }

  RecoveredSites recover(const SiteCopy::Reading& sites, std::uint64_t oldest_kept,
                         const FileNames& names) const {
    if (sites.tree == 0 || sites.tree != marks().tree.load(std::memory_order_acquire)) return {};
    const SiteSum known{kUnknownName, kNoTrace, static_cast<double>(figure(facts_.seen)),
                        static_cast<double>(figure(facts_.seen_bytes))};
    return recover_sites(sites, tree(), records_, oldest_kept, names, known);
  }

  FileNames read_names(RecoveredRing& ring) const {
    ring.names = std::make_unique<NameTable>();
    NameIds classes, methods;
    decode_names(half_of(header_.names_at, header_.names_half_bytes), [&](NameEntry&& entry) {
      const auto id = static_cast<NameId>(entry.id);
      if (entry.kind == NameEntry::Kind::kClass) {
        classes[id] = ring.names->add_class(entry.name);
      } else if (entry.kind == NameEntry::Kind::kMethod) {
        methods[id] = ring.names->add_method(std::move(entry.method));
      }
    });
    decode_names(half_of(header_.threads_at, header_.threads_half_bytes), [&](NameEntry&& entry) {
      if (entry.kind != NameEntry::Kind::kThread) return;
      ring.data.thread_names[entry.id] = std::move(entry.name);
    });
    ring.data.names = ring.names.get();
    ring.names_lost =
        at<NameSection>(header_.names_at).lost + at<NameSection>(header_.threads_at).lost;
    return {[ids = std::move(classes)](NameId id) { return translated(ids, id); },
            [ids = std::move(methods)](NameId id) { return translated(ids, id); }};
  }

  static NameId translated(const NameIds& ids, NameId id) {
    const auto found = ids.find(id);
    return found == ids.end() ? kUnknownName : found->second;
  }

  bool makes_sense(const AllocRecord& record) const {
    return record.frame_count <= header_.depth && record.size >= 0 && record.size < kLargestSize &&
           record.time_ms >= 0 && record.time_ms < kLatestMs && record.weight > 0 &&
           record.weight < kLargestWeight;
  }

  void read_records(RecoveredRing& ring) {
    records_ = {};
    const std::size_t whole = std::min<std::uint64_t>(
        header_.records, (image_.size() - header_.slots_at) / header_.slot_bytes);
    ring.damaged = header_.records - whole;  // truncated
    const std::uint64_t first = marks().counters.first_seq;
    const std::uint64_t next = marks().counters.next_seq.load(std::memory_order_acquire);
    std::vector<std::uint64_t> seqs;
    std::uint64_t newest = 0;  // those that were being written overwrote records, too
    for (std::size_t i = 0; i < whole; ++i) {
      const std::uint64_t state = slot(i).state();
      const std::uint64_t seq = state / 2;
      if (state == 0 || seq < first) continue;
      if (seq % header_.records != i) {
        ++ring.damaged;
      } else if (state % 2 != 0) {
        ++ring.unfinished;
        if (seq < next) newest = std::max(newest, seq);
      } else {
        seqs.push_back(seq);
        newest = std::max(newest, seq);
      }
    }
    std::ranges::sort(seqs);
    const TreeCopy tree = this->tree();
    const std::uint64_t tree_id = marks().tree.load(std::memory_order_acquire);
    KnownStacks known;
    AllocRecord record;
    std::vector<Frame> frames(header_.depth);
    for (const std::uint64_t seq : seqs) {
      if (seq + header_.records <= newest) continue;  // skipped by newer records
      if (!slot(seq % header_.records).read(seq, record, frames))
        continue;  // overwritten during the read
      const bool of_tree = header_.version > 1 && (record.flags & kFramesOfTrace) != 0;
      if (!makes_sense(record) || (of_tree && record.tree != tree_id)) {
        ++ring.damaged;
      } else if (!of_tree) {
        records_.append_newer(record, std::span(frames).first(record.frame_count));
      } else if (!add_with_stack(record, tree, known)) {
        ++ring.damaged;
      }
    }
  }

  struct KnownStack {
    std::size_t record;  // the first one with this stack
    bool cut;
  };
  using KnownStacks = std::unordered_map<TraceNumber, KnownStack>;

  // Adds a record whose stack is in the tree, and is kept once. False: that part is damaged.
  bool add_with_stack(AllocRecord record, const TreeCopy& tree, KnownStacks& known) {
    const auto before = known.find(record.trace);
    if (before != known.end()) {
      record.flags = before->second.cut ? kStackTruncated : 0;
      records_.append_newer_like(before->second.record, record);
      return true;
    }
    bool cut = false;
    std::vector<Frame> frames;
    if (!tree.read(record.trace, frames, cut)) return false;
    known[record.trace] = {records_.size(), cut};
    record.flags = cut ? kStackTruncated : 0;
    records_.append_newer(record, frames);
    return true;
  }

  // The slot is only read.
  RingSlot slot(std::size_t index) const {
    return RingSlots::adjacent(const_cast<RingSlot::Word*>(&at<RingSlot::Word>(header_.slots_at)),
                               header_.depth)[index];
  }

  // Text up to the first NUL.
  template <std::size_t N>
  static std::string text_of(const std::array<char, N>& text) {
    return {text.data(), strnlen(text.data(), N)};
  }

  static std::int64_t figure(std::int64_t value) {
    return value >= 0 && value < kLargestFigure ? value : 0;
  }

  // Without sites: the summary's figures are slightly older than the newest records, or those of
  // the start. Record numbers are consecutive except for at most one in kUnusedOf, which bounds the
  // number of records. (A sample stands for several.)
  void seen_by_records(const RecoveredRing& ring, std::int64_t updated_ms,
                       ReportSummary& summary) const {
    const RecordSet& records = ring.data.records;
    std::int64_t bytes = 0;
    for (std::size_t i = 0; i < records.size(); ++i) bytes += records[i].record.size;
    std::int64_t least = static_cast<std::int64_t>(records.size());
    summary.seen_at_least = ring.damaged != 0 || !ring.cut_off.empty();
    if (!records.empty()) {
      const AllocRecord& newest = records[0].record;
      const std::uint64_t first = marks().counters.first_seq;
      const std::uint64_t drawn = newest.seq >= first ? newest.seq - first + 1 : 0;
      if (newest.weight == 1) {
        least = std::max(least, figure(static_cast<std::int64_t>(drawn - drawn / kUnusedOf)));
      }
      if (least > summary.seen || newest.time_ms > updated_ms) summary.seen_at_least = true;
    }
    summary.seen = std::max(summary.seen, least);
    summary.seen_bytes = std::max(summary.seen_bytes, bytes);
  }

  RingFacts read_facts() const {
    RingFacts facts;
    for (int i = 0; i < kReadTries; ++i) {
      const std::uint64_t turn = marks().facts_turn.load(std::memory_order_acquire);
      using Words = std::array<std::uint64_t, sizeof facts / sizeof(std::uint64_t)>;
      Words words;
      for (std::size_t w = 0; w < words.size(); ++w) {
        words[w] = at<RingSlot::Word>(kRingFactsAt + turn % 2 * sizeof facts + w * sizeof words[w])
                       .load(std::memory_order_acquire);
      }
      facts = std::bit_cast<RingFacts>(words);
      if (marks().facts_turn.load(std::memory_order_relaxed) == turn) break;
    }
    return facts;
  }

  void summarize(const RingFacts& facts, RecoveredRing& ring) const {
    ReportSummary& summary = ring.data.summary;
    summary.pid = header_.pid;
    summary.app = text_of(facts.app);
    summary.vm = text_of(facts.vm);
    summary.engine = text_of(facts.engine);
    summary.walker = text_of(facts.walker);
    if (facts.interval > 0 && facts.interval <= kMostInterval) {
      summary.interval = facts.interval;
      summary.samples.reset();
    }
    summary.seen = figure(facts.seen);
    summary.seen_bytes = figure(facts.seen_bytes);
    if (ring.data.sites.counted()) {
      summary.seen = sites_.count;
      summary.seen_bytes = sites_.bytes;
      summary.seen_at_least = !sites_.complete || ring.damaged != 0;
    } else {
      seen_by_records(ring, facts.updated_ms, summary);
    }
    summary.dropped = figure(facts.dropped);
    if (facts.unattributed_bytes >= 0) {
      summary.unattributed_bytes = figure(facts.unattributed_bytes);
      const std::int64_t stacks = facts.virtual_stack_bytes_plus_1;
      if (figure(stacks) > 0) summary.virtual_thread_stack_bytes = stacks - 1;
    }
    summary.classes_rewritten = figure(facts.classes_rewritten);
    summary.tracked_ms = figure(facts.tracked_ms);
    const RecordSet& records = ring.data.records;
    if (!records.empty() && facts.updated_ms > 0 && facts.updated_ms < kLatestMs) {
      const std::int64_t later = records[0].record.time_ms - facts.updated_ms;
      summary.tracked_ms += std::max<std::int64_t>(later, 0);
    }
    ring.state = state();
    ring.updated_ms = time(facts.updated_ms);
  }

  ProgramState state() const {
    return marks().state.load() == RingState::kEnded ? ProgramState::kEnded : ProgramState::kKilled;
  }
  static std::int64_t time(std::int64_t ms) { return ms >= 0 && ms < kLatestMs ? ms : 0; }

  const std::span<const std::byte> image_;
  RingHeader header_;
  RecordSet records_;
  RecoveredSites sites_;
  RingFacts facts_;
};

}  // namespace

Result<RecoveredRing> read_ring(std::span<const std::byte> image) {
  return RingImage(image).read();
}

Result<RingHead> read_ring_head(std::span<const std::byte> image) {
  return RingImage(image).head();
}

}  // namespace ddm
