// The natives of the class AgentLink of ddm-test.jar.
#pragma once

namespace ddm {

class TestKit;

// Where they hand their calls to; before that, they do nothing. Lives as long as the process.
void set_test_kit(TestKit* kit);

}  // namespace ddm
