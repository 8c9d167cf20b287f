package limits;

import ddm.test.NoAllocation;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.TestExecutionExceptionHandler;

@ExtendWith(LimitedSwallowed.Swallows.class)
class LimitedSwallowed {
    private static final IllegalStateException OWN = new IllegalStateException("of the test's own");

    static final class Swallows implements TestExecutionExceptionHandler {
        @Override
        public void handleTestExecutionException(ExtensionContext context, Throwable thrown)
                throws Throwable {
            if (thrown != OWN) {
                throw thrown;
            }
        }
    }

    @Test
    @NoAllocation
    void isNotHeld() {
        LimitedJupiter.make(1);
        throw OWN;
    }
}
