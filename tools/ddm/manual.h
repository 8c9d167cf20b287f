// The manual page of `ddm`, made of the same declarations as its help. Pure.
#pragma once

#include <string>
#include <string_view>

#include "option_values.h"

namespace ddm {

std::string manual_page(const CLI::App& app, std::string_view version);

}  // namespace ddm
