package limits;

import ddm.test.MaxAllocated;
import ddm.test.MaxLive;
import ddm.test.NoAllocation;
import ddm.test.Threads;
import ddm.test.Warmup;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Methods whose names begin with "no" break their limits; the others keep them, to the object. */
class LimitedJupiter {
    static Object sink;
    static int[] cache;
    static int warmed;

    static void make(int times) {
        for (int i = 0; i < times; ++i) {
            sink = Helper.pad();
        }
    }

    static final class Helper {
        static Object pad() {
            return new int[3];
        }
    }

    @Test
    @MaxAllocated(objects = 100, bytes = 3200)
    void keepsIt() {
        make(100);
    }

    @Test
    @MaxAllocated(bytes = 1000)
    void noBytes() {
        make(5441);
    }

    @Test
    @MaxAllocated(objects = 99)
    void noObjects() {
        make(100);
    }

    @Test
    @NoAllocation
    void keepsNone() {
        make(0);
    }

    @Test
    @NoAllocation
    void noNone() {
        make(1);
    }

    @Test
    @NoAllocation
    void keepsNoneButFirstUses() {
        if (First.TABLE.length != 1000) {
            throw new AssertionError();
        }
    }

    static final class First {
        static final int[] TABLE = new int[1000];
    }

    @Test
    @MaxAllocated(objects = 0, types = {long[].class, String.class})
    void keepsTypes() {
        make(100);
    }

    @Test
    @MaxAllocated(objects = 0, types = int[].class)
    void noTypes() {
        make(100);
    }

    @Test
    @MaxAllocated(objects = 0, from = "limits.LimitedJupiter$Other")
    void keepsFrom() {
        make(100);
    }

    @Test
    @MaxAllocated(objects = 0, from = "limits.LimitedJupiter$Helper.pad")
    void noFrom() {
        make(100);
    }

    @Test
    @Warmup(5)
    @NoAllocation
    void keepsAfterWarmup() {
        if (cache == null) {
            cache = new int[10];
        }
    }

    @Test
    @Warmup(7)
    void warm() {
        make(warmed++ == 0 ? 1000 : 10);
    }

    @Test
    @MaxAllocated(objects = 5, threads = Threads.OWN, types = int[].class)
    void keepsOwnThread() throws InterruptedException {
        Thread other = new Thread(() -> make(1000));
        other.start();
        make(5);
        other.join();
    }

    @Test
    @MaxAllocated(objects = 1004, types = int[].class)
    void noStartedThreads() throws InterruptedException {
        Thread other = new Thread(() -> make(1000));
        other.start();
        make(5);
        other.join();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    @MaxAllocated(objects = 1)
    void noParameters(int times) {
        make(times);
    }

    static Object[] left = new Object[100];

    @Test
    @MaxLive(objects = 31)
    void keepsItsLeftovers() {
        make(1000);
        for (int i = 0; i < 30; ++i) {
            left[i] = Helper.pad();
        }
    }

    @Test
    @MaxLive(objects = 30)
    void noLeftovers() {
        make(1000);
        for (int i = 30; i < 70; ++i) {
            left[i] = new Leftover();
        }
    }

    static final class Leftover { }

    @Test
    @MaxLive(objects = 0)
    void keepsNothingAlive() {
        Runnable first = () -> { };
        first.run();
        if (("a" + System.nanoTime()).isEmpty()) {
            throw new AssertionError();
        }
    }

    static void deep(int more) {
        if (more > 0) {
            deep(more - 1);
            return;
        }
        make(1);
    }

    static void outermost() {
        deep(2000);
    }

    @Test
    @NoAllocation
    void noDeep() {
        deep(2000);
    }

    @Test
    @MaxAllocated(objects = 0, from = "limits.LimitedJupiter.outermost")
    void noDeepFrom() {
        outermost();
    }

    static final CompletableFuture<String> DONE = CompletableFuture.completedFuture("abcdef");

    @Test
    @NoAllocation
    void noCallback() {
        DONE.thenApply(String::toUpperCase);
    }

    @Test
    void free() {
        make(100);
    }

    @Test
    void failsByItself() {
        make(7);
        throw new IllegalStateException("of the test's own");
    }
}
