package limits;

import ddm.test.AllocationsRule;
import ddm.test.MaxAllocated;
import ddm.test.Warmup;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;

public class LimitedJunit4 {
    @Rule
    public final AllocationsRule allocations = new AllocationsRule();

    static int[] cache;

    @Before
    public void makesWhatIsNotTheTests() {
        LimitedJupiter.sink = new long[1000];
    }

    @Test
    @MaxAllocated(objects = 100)
    public void keepsIt() {
        LimitedJupiter.make(100);
    }

    @Test
    @MaxAllocated(objects = 100)
    public void noObjects() {
        LimitedJupiter.make(101);
    }

    @Test
    @Warmup(5)
    @MaxAllocated(objects = 0)
    public void keepsAfterWarmup() {
        if (cache == null) {
            cache = new int[10];
        }
    }
}
