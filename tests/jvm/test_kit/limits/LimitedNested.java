package limits;

import static org.junit.jupiter.api.DynamicContainer.dynamicContainer;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import ddm.test.MaxAllocated;
import ddm.test.MaxLive;
import ddm.test.NoAllocation;
import ddm.test.Warmup;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Limits of classes around the test's, of factories' tests, and those in annotations of the program's own. */
@MaxAllocated(objects = 10)
class LimitedNested {
    static int[] cache;

    @Test
    void keepsIt() {
        LimitedJupiter.make(10);
    }

    /** What stays alive is another matter than what the class limits. */
    @Test
    @MaxLive(objects = 1000)
    void noObjectsAlive() {
        LimitedJupiter.make(11);
    }

    @Retention(RetentionPolicy.RUNTIME)
    @MaxAllocated(objects = 3)
    @interface Cheap { }

    @NoAllocation
    interface Free { }

    @Nested
    class Inside {
        @Test
        void keepsIt() {
            LimitedJupiter.make(10);
        }

        @Test
        void noObjects() {
            LimitedJupiter.make(11);
        }

        @Test
        @MaxAllocated(objects = 20)
        void keepsItsOwn() {
            LimitedJupiter.make(20);
        }

        @Test
        @Cheap
        void noCheap() {
            LimitedJupiter.make(4);
        }
    }

    @Nested
    @MaxAllocated(objects = 2)
    class Own {
        @Test
        void noObjects() {
            LimitedJupiter.make(3);
        }

        @Nested
        class Inner {
            @Test
            void noObjects() {
                LimitedJupiter.make(4);
            }
        }
    }

    @Nested
    class OfInterface implements Free {
        @Test
        void noObjects() {
            LimitedJupiter.make(1);
        }
    }

    @TestFactory
    @MaxAllocated(objects = 100)
    Stream<DynamicNode> makes() {
        LimitedJupiter.make(1000);  // the factory is no test
        return Stream.of(
                dynamicTest("keeps it", () -> LimitedJupiter.make(100)),
                dynamicTest("makes more", () -> LimitedJupiter.make(101)),
                dynamicContainer("inside", Stream.of(dynamicTest("makes more", () -> LimitedJupiter.make(102)))));
    }

    @TestFactory
    Stream<DynamicNode> ofTheClass() {
        return Stream.of(dynamicTest("makes more", () -> LimitedJupiter.make(11)));
    }

    /** No frame of the program is on the stacks of such a test. */
    @TestFactory
    @NoAllocation
    Stream<DynamicNode> ofTheJdk() {
        return Stream.of(dynamicTest("makes one", "ab"::toCharArray));
    }

    @TestFactory
    @Warmup(5)
    @NoAllocation
    Stream<DynamicNode> warm() {
        return Stream.of(dynamicTest("keeps it", () -> {
            if (cache == null) {
                cache = new int[10];
            }
        }));
    }
}

abstract class WithNested {
    @Nested
    class Inside {
        @Test
        void noObjects() {
            LimitedJupiter.make(1);
        }
    }
}

/** Limits its part of what it inherits. */
@NoAllocation
class LimitedHeir extends WithNested { }
