package limits;

import ddm.test.AllocationsRule;
import ddm.test.MaxAllocated;
import org.junit.Rule;
import org.junit.Test;

public class RoomyJunit4 {
    @Rule
    public final AllocationsRule allocations = new AllocationsRule();

    @Test
    @MaxAllocated(objects = 100_000)
    public void roomy1() {
        LimitedJupiter.make(1);
    }

    @Test
    @MaxAllocated(objects = 100_000, bytes = 3_000_000)
    public void roomy2() {
        LimitedJupiter.make(2);
    }

    @Test
    @MaxAllocated(objects = 100_000)
    public void roomy3() {
        LimitedJupiter.make(3);
    }

    @Test
    @MaxAllocated(objects = 100_000)
    public void roomy4() {
        LimitedJupiter.make(4);
    }

    @Test
    @MaxAllocated(objects = 100_000)
    public void roomy5() {
        LimitedJupiter.make(0);
    }

    @Test
    @MaxAllocated(objects = 100_000)
    public void roomy6() {
        LimitedJupiter.make(6);
    }
}
