// REAL, the recorded allocations. (REAE and REAQ are in switch_request.h.)
//
//   header  u1 15, u1 9, u1 8 (sizes of header, entry, frame), u2 entries,
//           u4 offset of the strings from the start of the data, u2 classes, u2 methods, u2 files
//   entry   u4 bytes, u2 thread, u2 class, u1 frames          newest entry first
//   frame   u2 class, u2 method, u2 file, s2 line             innermost frame first
//   strings classes (descriptors), methods, files, each str
//
// Line -2 is native, -1 unknown. Indices have 16 bits, which limits a chunk to 65,535 entries and
// as many strings of each kind.
#pragma once

#include <array>
#include <span>
#include <unordered_map>

#include "wire/chunks/fields.h"

namespace ddm {

inline constexpr ChunkType kAllocations = chunk_type("REAL");

struct AllocationFrame {
  std::string_view class_name;  // "java.util.HashMap"
  std::string_view method;
  std::string_view file;  // "" = unknown
  std::int32_t line = -1;
};

// Encodes REAL, starting with the newest record.
class AllocationsWriter {
 public:
  static constexpr std::size_t kMaxEntries = 65535;
  static constexpr std::size_t kMaxStrings = 65535;
  static constexpr std::size_t kMaxFrames = 255;

  // An encoded frame. A few thousand distinct frames make up millions, so callers cache them.
  // nullopt: a string table is full.
  using Place = std::array<std::uint8_t, 8>;
  std::optional<Place> place_of(const AllocationFrame& frame);

  // `type_name` as by Class.getTypeName(); frames beyond kMaxFrames are dropped. False: the record
  // does not fit, so it and all older ones must be left out.
  bool add(std::string_view type_name, std::uint64_t bytes, std::uint16_t thread_id,
           std::span<const Place> frames);

  void reserve(std::size_t entries, std::size_t frames);
  std::size_t entries() const { return entries_; }

  // Returns the data of the chunk and resets the writer.
  Bytes finish();

 private:
  class StringTable {
   public:
    // nullopt: the table is full.
    std::optional<std::uint16_t> index_of(std::string_view text);
    std::uint16_t size() const { return static_cast<std::uint16_t>(strings_.size()); }
    const std::vector<const std::string*>& strings() const { return strings_; }

   private:
    struct Hash {
      using is_transparent = void;
      std::size_t operator()(std::string_view text) const {
        return std::hash<std::string_view>()(text);
      }
    };
    std::unordered_map<std::string, std::uint16_t, Hash, std::equal_to<>> index_;
    std::vector<const std::string*> strings_;  // keys of the map, by index
  };

  ByteWriter body_;  // entries with their frames
  std::size_t entries_ = 0;
  StringTable classes_;  // type names; descriptors on the wire
  StringTable methods_;
  StringTable files_;
};

// REAL, decoded. Every index is valid.
struct Allocations {
  struct Frame {
    std::uint16_t class_index = 0;
    std::uint16_t method_index = 0;
    std::uint16_t file_index = 0;
    std::int16_t line = -1;
    static constexpr auto kFields =
        std::tuple(&Frame::class_index, &Frame::method_index, &Frame::file_index, &Frame::line);
  };
  struct Entry {
    std::uint32_t bytes = 0;
    std::uint16_t thread_id = 0;
    std::uint16_t class_index = 0;
    std::uint8_t frame_count = 0;
    std::size_t first_frame = 0;
    static constexpr auto kFields =
        std::tuple(&Entry::bytes, &Entry::thread_id, &Entry::class_index, &Entry::frame_count);
  };
  std::vector<Entry> entries;  // newest first
  std::vector<Frame> frames;
  std::vector<std::string> classes;  // type names
  std::vector<std::string> methods;
  std::vector<std::string> files;

  std::span<const Frame> frames_of(const Entry& entry) const {
    return std::span(frames).subspan(entry.first_frame, entry.frame_count);
  }

  // Skips the excess of longer headers, entries and frames.
  static std::optional<Allocations> decode(ByteSpan data);
};

}  // namespace ddm
