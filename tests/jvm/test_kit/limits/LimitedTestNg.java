package limits;

import ddm.test.MaxAllocated;
import org.testng.annotations.BeforeMethod;
import org.testng.annotations.Test;

public class LimitedTestNg {
    @BeforeMethod
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
    public void free() {
        LimitedJupiter.make(12);
    }
}
