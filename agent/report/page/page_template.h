// The html report without its data: one self-contained file.
#pragma once

#include <string_view>

namespace ddm {

// Generated at build time from page.html, page.css and page_*.js. The data replaces kPageDataHere.
extern const std::string_view kPageTemplate;
inline constexpr std::string_view kPageDataHere = "REPORT_DATA_HERE";

}  // namespace ddm
