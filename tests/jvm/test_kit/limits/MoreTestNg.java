package limits;

import ddm.test.MaxAllocated;
import ddm.test.NoAllocation;
import org.testng.IHookCallBack;
import org.testng.IHookable;
import org.testng.ITestResult;
import org.testng.annotations.Test;

/** Limits of TestNG's tests that come from their classes, or that something else may hide. */
public final class MoreTestNg {
    private static final IllegalStateException EXPECTED = new IllegalStateException();

    private MoreTestNg() { }

    public static class Base {
        @Test
        public void inherited() {
            LimitedJupiter.make(2);
        }
    }

    @NoAllocation
    public static class Limited extends Base { }

    public static class Free extends Base { }

    @Test(expectedExceptions = IllegalStateException.class)
    public static class Expecting {
        @MaxAllocated(objects = 2)
        public void keepsIt() {
            LimitedJupiter.make(2);
            throw EXPECTED;
        }

        @MaxAllocated(objects = 2)
        public void noObjects() {
            LimitedJupiter.make(3);
            throw EXPECTED;
        }
    }

    public static class Hooked implements IHookable {
        @Override
        public void run(IHookCallBack callBack, ITestResult result) {
            callBack.runTestMethod(result);
        }

        @Test
        @MaxAllocated(objects = 2)
        public void isNotHeld() {
            LimitedJupiter.make(1);
        }
    }

    public static class Timed {
        @Test(timeOut = 60_000)
        @MaxAllocated(objects = 2)
        public void noObjects() {
            LimitedJupiter.make(4);
        }
    }
}
