// Restricts a report to one method and its callees. Pure.
#pragma once

#include <string>
#include <string_view>

#include "report/report.h"

namespace ddm {

// Whether the method has this name: "shop.Cart.total", or any suffix after a dot.
bool is_called(const MethodName& method, std::string_view name);

// Keeps the allocations, samples and waits whose stacks contain such a method, and sums of these.
// Drops threads' accounts and timed methods, which have no stacks.
void keep_below(ReportData& data, const std::string& name);

}  // namespace ddm
