// The page around the data of the html report: one file without any reference to another.
#pragma once

#include <string_view>

namespace ddm {

// Made at build time of page.html, page.css and page_*.js. Data goes in place of kPageDataHere.
extern const std::string_view kPageTemplate;
inline constexpr std::string_view kPageDataHere = "REPORT_DATA_HERE";

}  // namespace ddm
