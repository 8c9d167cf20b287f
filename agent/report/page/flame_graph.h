// The page around the data of the html report: one file without any reference to another.
#pragma once

#include <string_view>

namespace ddm {

// Made at build time of flame_graph.html, .css and .js. Data goes in place of kFlameGraphData.
extern const std::string_view kFlameGraphPage;
inline constexpr std::string_view kFlameGraphData = "REPORT_DATA_HERE";

}  // namespace ddm
