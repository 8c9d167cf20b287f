#include "wire/chunks/shared_answer.h"

#include <utility>

namespace ddm {
namespace {

// Smaller answers are not worth a file.
constexpr std::size_t kTiny = 4096;

}  // namespace

Result<Chunk> SharedAnswer::get(Clock::time_point asked, const Make& make) {
  if (auto data = last_.lock(); data && begun_ >= asked) return Chunk{type_, {}, std::move(data)};
  forget();
  begun_ = Clock::now();
  Result<Chunk> made = make();
  if (!made) return made;
  if (!made->stored && made->data.size() > kTiny) {
    if (auto data = StoredData::of(made->data)) *made = {made->type, {}, std::move(*data)};
  }
  type_ = made->type;
  if (made->data.empty()) last_ = made->stored;
  return made;
}

}  // namespace ddm
