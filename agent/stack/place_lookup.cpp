#include "stack/place_lookup.h"

#include <algorithm>

namespace ddm {

WalkEnd PlaceLookup::compiled(JNIEnv* jni, VmAddress pc, Compiled& code) {
  return find_compiled(pc, code) ? WalkEnd::kComplete : decode_compiled(jni, pc, code);
}

bool PlaceLookup::find_compiled(VmAddress pc, Compiled& code) const {
  FrameCache::Entry entry;
  code.count = 0;
  unsigned part = 0;
  do {
    if (!cache_.find_compiled(pc, part, entry, code.identity) ||
        code.count + entry.count > code.frames.size()) {
      return false;
    }
    std::copy_n(entry.frames.begin(), entry.count,
                code.frames.begin() + static_cast<std::ptrdiff_t>(code.count));
    code.count += entry.count;
    ++part;
  } while (entry.more);
  code.kind = entry.kind;
  code.bytes = entry.bytes;
  return true;
}

WalkEnd PlaceLookup::decode_compiled(JNIEnv* jni, VmAddress pc, Compiled& code) {
  const std::uint32_t generation = names_.generation().load(std::memory_order_acquire);
  CompiledFrame found;
  compiled_.decode(pc, found);
  if (found.kind == CodeKind::kOdd) return WalkEnd::kOdd;
  code.kind = found.kind;
  code.bytes = found.bytes;
  code.identity = {found.identity_at, found.identity};
  code.count = 0;
  for (std::size_t i = 0; i < found.count; ++i) {
    const WalkedMethod version = ids_.version_of(found.frames[i].method);
    if (version.id == 0) return WalkEnd::kUnknownMethod;
    code.frames[code.count++] = names_.shown(jni, raw_frame(version.id, found.frames[i].bci),
                                             as_version(found.frames[i].method));
  }
  if (!may_be_kept(code.kind)) return WalkEnd::kComplete;

  FrameCache::Entry entry;
  entry.kind = code.kind;
  entry.bytes = code.bytes;
  std::size_t kept = 0;
  for (unsigned part = 0; part == 0 || kept < code.count; ++part) {
    entry.count = std::min(code.count - kept, FrameCache::kFramesOfPart);
    entry.more = kept + entry.count < code.count;
    std::copy_n(code.frames.begin() + static_cast<std::ptrdiff_t>(kept), entry.count,
                entry.frames.begin());
    cache_.insert(pc, part, code.identity, entry, generation);
    kept += entry.count;
  }
  return WalkEnd::kComplete;
}

bool PlaceLookup::interpreted(JNIEnv* jni, VmAddress method, VmAddress bytecode,
                              Interpreted& frame) {
  if (method == 0) return false;
  if (method == frame.method && bytecode == frame.bytecode) return true;
  frame.method = method;
  frame.bytecode = bytecode;
  if (look_up_interpreted(jni, frame)) return true;
  frame.method = 0;
  return false;
}

bool PlaceLookup::look_up_interpreted(JNIEnv* jni, Interpreted& frame) {
  const VmAddress place = place_of(frame.method, frame.bytecode);
  FrameCache::Entry entry;
  FrameCache::Identity identity;
  if (cache_.find(place, 0, entry, identity) && identity.at == frame.method) {
    frame.version = methods_.version_of(frame.method).identity();
    frame.shown = entry.frames[0];
    if (identity.value == frame.version) return true;
  }
  const std::uint32_t generation = names_.generation().load(std::memory_order_acquire);
  if (ids_.version_of(frame.method).id == 0) return false;
  const VersionFrame found = raw_walk_.interpreted_frame(frame.method, frame.bytecode);
  if (found.id == 0) return false;
  frame.shown = names_.shown(jni, raw_frame(found), as_version(found.method));
  entry.kind = CodeKind::kCompiled;
  entry.more = false;
  entry.count = 1;
  entry.bytes = 0;
  entry.frames[0] = frame.shown;
  frame.version = methods_.version_of(frame.method).identity();
  cache_.insert(place, 0, {frame.method, frame.version}, entry, generation);
  return true;
}

}  // namespace ddm
