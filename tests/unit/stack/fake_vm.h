// Memory laid out as a VM lays it out: a code heap, nmethods with scopes, methods, a thread and its
// stack. In both forms that HotSpot has had (parts by address, parts by offset).
#pragma once

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "stack/walk/raw_walk.h"

namespace ddm {

class FakeVm {
 public:
  struct Inlined {
    VmAddress method;
    int bci;
  };

  explicit FakeVm(bool by_offset) {
    layout.parts_by_offset = by_offset;
    layout.stream_base = by_offset ? 1 : 0;
    layout.anchor = {0, 8, 16};
    layout.stack_base = 24, layout.stack_size = 32;
    layout.wrapper = {8, 16, 24};
    layout.block_header = 16, layout.block_used = 8;
    layout.blob_name = 0, layout.blob_frame_words = 8;
    layout.blob_code = by_offset ? 12 : 16;
    layout.method = 24, layout.compile_id = 32, layout.orig_pc = 36;
    layout.deopt = 40, layout.deopt_mh = by_offset ? 44 : 48;
    layout.scopes_pcs = 56;
    layout.scopes_data = by_offset ? 64 : 72;
    if (by_offset) {
      layout.blob_kind = 100;
      layout.kind_nmethod = 1;
      layout.immutable_data = 72, layout.immutable_size = 80;
      layout.mutable_data = 88, layout.mutable_size = 96, layout.relocation_size = 104;
    } else {
      layout.metadata = 80;
    }
    layout.method_const = 8;
    layout.const_pool = 8, layout.const_idnum = 16, layout.const_code_size = 18;
    layout.const_code = 24;
    layout.pool_holder = 8, layout.holder_ids = 16;

    heap_.resize(kHeapBytes / 8);
    segments_.assign(kHeapBytes >> kLog2Segment, 0xff);
    heap_end_ = heap() + kHeapBytes;
    layout.code_heaps.push_back({heap(), address(&heap_end_), heap() + kHeapBytes,
                                 address(segments_.data()), kLog2Segment});
    stack_.resize(kStackWords);
    layout.interpreter_low = 0x10000;
    layout.interpreter_high = 0x20000;
    layout.call_stub_return = 0x30000;
    put(thread() + 24, address(stack_.data() + kStackWords));
    put(thread() + 32, kStackWords * sizeof(std::uint64_t));
  }

  VmLayout layout;
  ReadablePages pages;
  UnprovenMemory memory{pages};
  static constexpr std::size_t kStackWords = 512;
  static constexpr VmAddress kInterpreterPc = 0x10010;

  template <typename T>
  static VmAddress address(const T* at) {
    return reinterpret_cast<VmAddress>(at);
  }
  template <typename T>
  static void put(VmAddress at, T value) {
    std::memcpy(reinterpret_cast<void*>(at), &value, sizeof value);
  }

  VmAddress thread() { return address(thread_); }
  VmAddress heap() { return address(heap_.data()); }
  VmAddress slot(std::size_t word) { return address(stack_.data() + word); }
  void stack(std::size_t word, std::uint64_t value) { stack_[word] = value; }
  void anchor(VmAddress sp, VmAddress pc, VmAddress fp) {
    put(thread(), sp), put(thread() + 8, pc), put(thread() + 16, fp);
  }

  // A method with an id, and `code_size` bytes of code from code_of() on.
  VmAddress add_method(std::uint16_t code_size, bool with_id = true) {
    auto& words = room(40);
    const VmAddress method = address(words.data()), constants = method + 64, pool = method + 192,
                    holder = method + 216, ids = method + 248, id = method + 272;
    put(method + 8, constants);
    put(constants + 8, pool);
    put<std::uint16_t>(constants + 16, 0);
    put<std::uint16_t>(constants + 18, code_size);
    put(pool + 8, holder);
    put(holder + 16, ids);
    put<std::uint64_t>(ids, 1);
    put(ids + 8, with_id ? id : VmAddress{0});
    put(id, method);
    return method;
  }
  VmAddress id_of(VmAddress method) { return method + 272; }
  VmAddress code_of(VmAddress method) { return method + 64 + 24; }

  // A blob that is no nmethod; returns a pc in it.
  VmAddress add_stub(const char* name, int frame_words) {
    const VmAddress blob = add_block(name, frame_words);
    return blob + 200;
  }

  // An nmethod with one call site, in which `inlined` stands, innermost first. Returns its pc.
  VmAddress add_nmethod(int frame_words, const std::vector<Inlined>& inlined, int compile_id) {
    const VmAddress nmethod = add_block("nmethod", frame_words);
    constexpr VmAddress kCode = 160, kPc = 32, kMetadata = 192, kData = 256, kPcs = 512;
    std::string data(1, '\0');  // offset 0 is none
    int sender = 0;
    for (std::size_t i = inlined.size(); i-- > 0;) {
      const int here = static_cast<int>(data.size());
      number(data, sender);
      number(data, static_cast<int>(i) + 1);
      number(data, inlined[i].bci + 1);
      sender = here;
      put(nmethod + kMetadata + 8 * i, inlined[i].method);
    }
    put(nmethod + 24, inlined.empty() ? VmAddress{0} : inlined.back().method);
    put(nmethod + 32, compile_id);
    put(nmethod + 36, 8);  // orig_pc: in the frame's second word
    std::memcpy(reinterpret_cast<void*>(nmethod + kData), data.data(), data.size());
    const int descs[][4] = {{-1, 0, 0, 0}, {kPc, sender, 0, 0}, {1 << 20, 0, 0, 0}};
    std::memcpy(reinterpret_cast<void*>(nmethod + kPcs), descs, sizeof descs);
    if (layout.parts_by_offset) {
      put<int>(nmethod + 12, kCode);
      put<int>(nmethod + 40, kCode + 64), put<int>(nmethod + 44, -1);
      put<std::uint8_t>(nmethod + 100, 1);
      put<int>(nmethod + 56, kPcs - kData), put<int>(nmethod + 60, kPcs - kData + 48);
      put<int>(nmethod + 64, 0);
      put(nmethod + 72, nmethod + kData), put<int>(nmethod + 80, 1024);
      put(nmethod + 88, nmethod + kMetadata - 8), put<int>(nmethod + 96, 72);
      put<int>(nmethod + 104, 8);
    } else {
      put(nmethod + 16, nmethod + kCode);
      put(nmethod + 40, nmethod + kCode + 64), put(nmethod + 48, nmethod + kCode + 80);
      put<int>(nmethod + 56, kPcs), put<int>(nmethod + 60, kPcs + 48);
      put(nmethod + 72, nmethod + kData);
      put<int>(nmethod + 80, kMetadata);
    }
    return nmethod + kCode + kPc;
  }
  static VmAddress deopt_pc(VmAddress pc) { return pc + 32; }
  static VmAddress compile_id_at(VmAddress pc) { return pc - 192 + 32; }

  VmAddress heap_end_ = 0;

 private:
  static constexpr std::size_t kHeapBytes = 1 << 16;
  static constexpr int kLog2Segment = 7;
  static constexpr std::size_t kBlobBytes = 1024 - 16;

  std::vector<std::uint64_t>& room(std::size_t words) {
    metadata_.push_back(std::make_unique<std::vector<std::uint64_t>>(words));
    return *metadata_.back();
  }

  VmAddress add_block(const char* name, int frame_words) {
    const std::size_t first = used_ >> kLog2Segment, segments = 1024 >> kLog2Segment;
    for (std::size_t i = 0; i < segments; ++i) {
      segments_[first + i] = static_cast<std::uint8_t>(i < 3 ? i : 2);  // some steps back
    }
    const VmAddress block = heap() + used_;
    used_ += 1024;
    put<std::uint8_t>(block + 8, 1);
    const VmAddress blob = block + 16;
    put(blob, name);
    put(blob + 8, frame_words);
    return blob;
  }

  // UNSIGNED5, as far as these tests need it.
  void number(std::string& data, int value) const {
    const int base = layout.stream_base;
    const int low = 192 - base;
    if (value < low) {
      data += static_cast<char>(value + base);
    } else {
      const int rest = value - low;
      data += static_cast<char>(192 + rest % 64);
      data += static_cast<char>(rest / 64 + base);
    }
  }

  std::vector<std::uint64_t> heap_, stack_;
  std::vector<std::uint8_t> segments_;
  std::size_t used_ = 0;
  std::uint64_t thread_[8] = {};
  std::vector<std::unique_ptr<std::vector<std::uint64_t>>> metadata_;
};

}  // namespace ddm
