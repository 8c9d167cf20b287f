// The natives of the class AgentLink of ddm-test.jar.
#pragma once

namespace ddm {

class TestKit;

// The natives do nothing before this call. `kit` must live as long as the process.
void set_test_kit(TestKit* kit);

}  // namespace ddm
