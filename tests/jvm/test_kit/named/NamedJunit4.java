package named;

import ddm.test.AllocationsRule;
import ddm.test.MaxAllocated;
import org.junit.Rule;
import org.junit.Test;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;

@RunWith(Parameterized.class)
public class NamedJunit4 {
    @Rule
    public final AllocationsRule allocations = new AllocationsRule();

    @Parameterized.Parameter
    public int times;

    @Parameterized.Parameters
    public static Object[] data() {
        return new Object[] {3000, 2000, 1000};
    }

    @Test
    @MaxAllocated(objects = 2500)
    public void makes() {
        NamedJupiter.make(times);
    }

    /** No test. */
    public void makes(int more) {
        NamedJupiter.make(more);
    }
}
