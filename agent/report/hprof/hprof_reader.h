// A heap dump (hprof, 1.0.1 and 1.0.2) from its first byte to its last, record by record and
// object by object, without ever holding it.
//
// One thread. Whatever a damaged dump says, nothing is read beyond its end, nothing is allocated
// for what it claims to hold, and every call goes on in the file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ddm {

// What stands in a dump for the types of values and of elements.
inline constexpr std::uint8_t kHprofReference = 2;

// Bytes of a value of a type; 0: no type.
std::uint32_t hprof_value_bytes(std::uint8_t type, std::uint32_t id_bytes);

// The file's bytes in their order. Past the end, or after an error, all are 0 and good() is false.
class HprofBytes {
 public:
  // `fd`: read with offsets, so many bytes at once.
  explicit HprofBytes(int fd, std::size_t piece = std::size_t{1} << 20) : fd_(fd), piece_(piece) {}

  std::uint64_t integer(std::uint32_t size) {
    std::uint64_t value = 0;
    for (; size > 0; --size) value = value << 8 | byte();
    return value;
  }
  std::uint8_t byte() {
    if (at_ == filled_ && !fill()) return 0;
    const std::uint8_t next = piece_[at_++];
    if (kept_ != nullptr) *kept_ += static_cast<char>(next);
    return next;
  }
  std::string text(std::uint64_t size);
  // What is kept is read; else nothing is.
  void skip(std::uint64_t size);
  std::uint64_t position() const { return begin_ - (filled_ - at_); }
  bool good() const { return good_; }
  bool at_end() { return at_ == filled_ && !fill(); }
  bool holds(std::uint64_t bytes) const;  // the file has so many

  // Appends all that is read or skipped from now on; null: no more.
  void keep_in(std::string* text) { kept_ = text; }

 private:
  bool fill();

  const int fd_;
  std::vector<std::uint8_t> piece_;
  std::size_t at_ = 0, filled_ = 0;
  std::uint64_t begin_ = 0;  // of what is behind the piece
  bool good_ = true;
  std::string* kept_ = nullptr;
};

class HprofReader {
 public:
  enum Tag : std::uint8_t {
    kText = 0x01,
    kLoadClass = 0x02,
    kFrame = 0x04,
    kTrace = 0x05,
    kHeapDump = 0x0C,
    kSegment = 0x1C,
    kEnd = 0x2C,
  };
  struct Record {
    std::uint8_t tag = 0;
    std::uint64_t length = 0;
    bool holds_objects() const { return tag == kHeapDump || tag == kSegment; }
  };

  enum Kind : std::uint8_t {
    kJniGlobal = 0x01,
    kClass = 0x20,
    kInstance = 0x21,
    kObjectArray = 0x22,
    kPrimitiveArray = 0x23,
  };
  // A sub-record: a root, a class or an object. Its `rest` follows unread; all else has been read.
  struct Object {
    std::uint8_t kind = 0;
    std::uint64_t id = 0;
    std::uint32_t trace = 0;       // of classes and objects
    std::uint64_t of = 0;          // the class of an instance or of an array of objects, the super
                                   // class of a class
    std::uint8_t element = 0;      // type, of arrays
    std::uint32_t count = 0;       // elements; of instances bytes of fields; of classes how many
                                   // references their own instance fields are
    std::uint64_t jni_handle = 0;  // of kJniGlobal
    std::uint64_t rest = 0;
    bool is_root() const { return kind < kClass || kind == 0xFF; }
  };

  explicit HprofReader(int fd) : bytes_(fd) {}

  // First of all: the header. False: this is no heap dump.
  bool open();
  std::uint32_t id_bytes() const { return id_bytes_; }

  // The next record, what is unread of the last one left out. None: the end, or damage.
  std::optional<Record> next();
  // In a record that holds objects: the next of them, likewise. None: no more, or damage.
  std::optional<Object> next_object();
  // "" or what is wrong and where.
  const std::string& problem() const { return problem_; }

  // For what stands in a record, and for keeping.
  HprofBytes& bytes() { return bytes_; }
  std::uint64_t id() { return bytes_.integer(id_bytes_); }
  std::uint64_t left() const { return end_ - bytes_.position(); }  // of the record

 private:
  bool read_object(Object& object);
  void read_class(Object& object);
  bool read_root(Object& object);
  void damaged();

  HprofBytes bytes_;
  std::uint32_t id_bytes_ = 0;
  std::uint64_t end_ = 0;         // of the record
  std::uint64_t object_end_ = 0;  // of the object
  std::string problem_;
};

}  // namespace ddm
