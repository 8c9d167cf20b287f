package limits;

import ddm.test.MaxAllocated;
import org.testng.annotations.BeforeMethod;
import org.testng.annotations.Test;

public class LimitedTestNg {
    private static final IllegalStateException EXPECTED = new IllegalStateException("of the test's own");

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

    @Test(expectedExceptions = IllegalStateException.class, expectedExceptionsMessageRegExp = "of .* own")
    @MaxAllocated(objects = 100)
    public void keepsItAndThrows() {
        LimitedJupiter.make(99);
        throw EXPECTED;
    }

    @Test(expectedExceptions = IllegalStateException.class)
    @MaxAllocated(objects = 100)
    public void noObjectsAndThrows() {
        LimitedJupiter.make(102);
        throw EXPECTED;
    }

    @Test(expectedExceptions = IllegalStateException.class, expectedExceptionsMessageRegExp = "of others")
    public void throwsAnotherOne() {
        throw EXPECTED;
    }

    @Test
    public void free() {
        LimitedJupiter.make(12);
    }
}
