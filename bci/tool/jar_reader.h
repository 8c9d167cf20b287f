// Reads class files from directories and jar files.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "bci/bytes.h"

namespace bci {

// Calls `use(name, bytes)` for each class file in `path`: a class file, a directory (recursively),
// or a jar. False, with a line in `error`, if something could not be read.
bool for_each_class(const std::filesystem::path& path,
                    const std::function<void(const std::string&, ByteSpan)>& use,
                    std::string& error);

}  // namespace bci
