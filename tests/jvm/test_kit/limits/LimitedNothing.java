package limits;

import ddm.test.MaxAllocated;
import ddm.test.MaxLive;
import ddm.test.NoAllocation;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** Limits that no allocation can break. */
class LimitedNothing {
    @Test
    @MaxAllocated
    void noAmount() { }

    @Test
    @MaxLive(bytes = -5)
    void noLiveAmount() { }

    @Test
    @MaxAllocated(objects = 0, types = {String.class, List.class})
    void noSuchObjects() { }

    @Test
    @MaxAllocated(objects = 0, types = int.class)
    void noPrimitives() { }

    @Test
    @MaxAllocated(bytes = 100)
    @NoAllocation
    void noBoth() { }

    @Test
    @MaxAllocated(objects = 0, from = "limits.LimitedJupiter.mkae")
    void noSuchMethod() { }

    @Test
    @MaxAllocated(objects = 0, types = {List[].class, int[].class, Runnable[].class},
            from = {"limits.LimitedJupiter.make", "limits.LimitedJupiter$Helper", "of.Others"})
    void keepsIt() { }

    @Nested
    class AroundATest {
        @BeforeEach
        @NoAllocation
        void before() { }

        @Test
        @NoAllocation
        void noTest() { }
    }
}
