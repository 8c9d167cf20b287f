// A report of what happened in one method and in all that it called. Pure.
#pragma once

#include <string>
#include <string_view>

#include "report/report.h"

namespace ddm {

// Whether the method is called so: "shop.Cart.total", or any end of that behind a dot.
bool is_called(const MethodName& method, std::string_view name);

// Leaves in the report the allocations, samples and waits whose stacks have such a method, and the
// sums of these. Threads' accounts and timed methods, which have no stacks, are left out.
void keep_below(ReportData& data, const std::string& name);

}  // namespace ddm
