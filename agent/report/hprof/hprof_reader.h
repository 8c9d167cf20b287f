// Reads a heap dump (hprof, 1.0.1 and 1.0.2) sequentially, by records and objects, without holding
// it in memory.
//
// One thread. Whatever a damaged dump says, nothing is read beyond its end, no memory is allocated
// by its declared sizes, and every call advances in the file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "report/hprof/hprof_bytes.h"

namespace ddm {

class HprofReader {
 public:
  enum Tag : std::uint8_t {
    kText = 0x01,
    kLoadClass = 0x02,
    kFrame = 0x04,
    kTrace = 0x05,
    kSites = 0x06,
    kHeapSummary = 0x07,
    kThreadStart = 0x0A,
    kThreadEnd = 0x0B,
    kHeapDump = 0x0C,
    kCpuSamples = 0x0D,
    kSettings = 0x0E,
    kSegment = 0x1C,
    kSegmentsEnd = 0x2C,
  };
  struct Record {
    std::uint8_t tag = 0;
    std::uint64_t length = 0;
    bool holds_objects() const { return tag == kHeapDump || tag == kSegment; }
  };

  enum Kind : std::uint8_t {
    kJniGlobal = 0x01,
    kJniLocal = 0x02,
    kJavaFrame = 0x03,
    kNativeStack = 0x04,
    kStickyClass = 0x05,
    kThreadBlock = 0x06,
    kMonitor = 0x07,
    kThread = 0x08,
    kClass = 0x20,
    kInstance = 0x21,
    kObjectArray = 0x22,
    kPrimitiveArray = 0x23,
  };
  // A sub-record: a root, a class or an object. Its `rest` is not read yet.
  struct Object {
    std::uint8_t kind = 0;
    std::uint64_t id = 0;
    std::uint32_t trace = 0;       // of classes and objects; of kThread its stack
    std::uint64_t of = 0;          // the class of an instance or of an array of objects, the super
                                   // class of a class
    std::uint8_t element = 0;      // type, of arrays
    std::uint32_t count = 0;       // elements; of instances bytes of fields; of classes how many
                                   // references their own instance fields are
    std::uint64_t jni_handle = 0;  // of kJniGlobal
    std::uint32_t thread = 0;      // serial number, of roots of a thread
    std::uint32_t frame = 0;       // of its stack, of kJniLocal and kJavaFrame
    std::uint64_t rest = 0;
    bool is_root() const { return kind < kClass || kind == 0xFF; }
  };

  // Further data of a class: ids of texts, and of objects.
  struct Field {
    std::uint64_t name = 0;
    std::uint8_t type = 0;
    std::uint64_t value = 0;  // of a static field
  };
  struct ClassDetails {
    std::uint64_t loader = 0, signers = 0, domain = 0;
    std::uint32_t instance_bytes = 0;    // as the dump says
    std::vector<Field> statics, fields;  // declared by the class itself
  };

  explicit HprofReader(int fd) : bytes_(fd) {}
  HprofReader(int fd, std::size_t piece) : bytes_(fd, piece) {}  // see HprofBytes

  // Stores the details of each class from next_object() there from now on; null: stops.
  void keep_details_in(ClassDetails* details) { details_ = details; }

  // Reads the header; call first. False: not a heap dump.
  bool open();
  std::uint32_t id_bytes() const { return id_bytes_; }

  // Skips to the next record. nullopt: the end, or damage.
  std::optional<Record> next();
  // In a record that contains objects: skips to the next one. nullopt: no more, or damage.
  std::optional<Object> next_object();
  // "" or the error with its position.
  const std::string& problem() const { return problem_; }

  // For the contents of a record, and for keep_in().
  HprofBytes& bytes() { return bytes_; }
  std::uint64_t id() { return bytes_.integer(id_bytes_); }
  std::uint64_t left() const { return end_ - bytes_.position(); }  // of the record

 private:
  bool read_object(Object& object);
  void read_class(Object& object);
  bool read_root(Object& object);
  std::nullopt_t damaged();

  HprofBytes bytes_;
  std::uint32_t id_bytes_ = 0;
  std::uint64_t end_ = 0;         // of the record
  std::uint64_t object_end_ = 0;  // of the object
  std::string problem_;
  ClassDetails* details_ = nullptr;
};

}  // namespace ddm
