package limits;

import ddm.test.NoAllocation;
import org.junit.Test;

public class WithoutRule {
    @Test
    @NoAllocation
    public void isNotHeld() {
        LimitedJupiter.make(1);
    }

    @Test
    public void free() { }
}
