package limits;

import ddm.test.MaxAllocated;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Limits that are kept; those of the methods and classes named "roomy" are much higher than the use. */
class RoomyJupiter {
    @Test
    @MaxAllocated(bytes = 100_000_000)
    void roomy() {
        LimitedJupiter.make(2);
    }

    @RepeatedTest(3)
    @MaxAllocated(objects = 1_000)
    void roomyEachTime() {
        LimitedJupiter.make(3);
    }

    @Test
    @MaxAllocated(objects = 101, bytes = 10_000)
    void fits() {
        LimitedJupiter.make(11);
    }

    @Test
    @MaxAllocated(objects = 100, bytes = 10_000)
    void isLow() {
        LimitedJupiter.make(1);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 500, 2})
    @MaxAllocated(bytes = 100_000)
    void fitsTheLargest(int times) {
        LimitedJupiter.make(times);
    }

    @Nested
    @MaxAllocated(objects = 1_000)
    class RoomyForAll {
        @Test
        void small() {
            LimitedJupiter.make(1);
        }

        @Test
        void large() {
            LimitedJupiter.make(99);
        }
    }

    @Nested
    @MaxAllocated(objects = 1_000)
    class FitsOne {
        @Test
        void small() {
            LimitedJupiter.make(1);
        }

        @Test
        void large() {
            LimitedJupiter.make(100);
        }
    }
}
