#include "stack/walk/trail_arrays.h"

#include <utility>

namespace ddm {

std::size_t TrailArrays::lay_out(VmAddress memory) {
  VmAddress end = memory;
  const auto next = [&]<typename T>(T*& array, std::int32_t count) {
    end = (end + alignof(T) - 1) / alignof(T) * alignof(T);
    array = reinterpret_cast<T*>(end);
    end += static_cast<std::size_t>(count) * sizeof(T);
  };
  next(word_at_, words_most());
  next(word_value_, words_most());
  next(steps_, steps_most() + 1);
  next(code_, steps_most());
  next(stamp_of_step_, steps_most() + 1);
  next(step_of_frame_, frames_most());
  next(frames_, frames_most());
  next(nodes_, frames_most());
  next(roles_, frames_most());
  next(new_frame_, new_frames_most());
  next(new_step_, new_steps_most());
  next(new_word_, new_words_most() + static_cast<std::int32_t>(FrameWalker::kMostWords));
  next(stamp_code_, steps_most() + 2);
  next(stamp_at_, steps_most() + 2);
  next(stamp_, steps_most() + 2);
  return end - memory;
}

bool TrailArrays::resize(std::int32_t depth) {
  const std::int32_t before = std::exchange(depth_, depth);
  ReservedArray<char> memory(lay_out(0));
  const bool made = memory.good();
  if (made) {
    memory_ = std::move(memory);
  } else {
    depth_ = before;
  }
  if (good()) lay_out(reinterpret_cast<VmAddress>(&memory_[0]));
  return made;
}

}  // namespace ddm
