#include "adapters/hprof/hprof_commands.h"

#include <algorithm>
#include <utility>

namespace ddm {

std::optional<HprofCommand> HprofCommandReader::read(ByteSpan& data) {
  if (header_.size() < kHeaderBytes) {
    const std::size_t taken = std::min(data.size(), kHeaderBytes - header_.size());
    header_.insert(header_.end(), data.begin(), data.begin() + static_cast<std::ptrdiff_t>(taken));
    data = data.subspan(taken);
    if (header_.size() < kHeaderBytes) return std::nullopt;
    ByteReader fields(header_);
    command_.tag = fields.u1();
    command_.serial = fields.u4();
    command_.length = fields.u4();
    remaining_ = command_.length;
  }
  const std::size_t taken = std::min<std::uint64_t>(data.size(), remaining_);
  const std::size_t kept = std::min(taken, kKeptBytes - command_.body.size());
  command_.body.insert(command_.body.end(), data.begin(),
                       data.begin() + static_cast<std::ptrdiff_t>(kept));
  data = data.subspan(taken);
  remaining_ -= taken;
  if (remaining_ > 0) return std::nullopt;
  header_.clear();
  return std::exchange(command_, {});
}

}  // namespace ddm
