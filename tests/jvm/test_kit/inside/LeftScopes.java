package ddm.test;

import java.util.List;

/** How many scopes the agent still has once measured code has thrown, a line each; in the jar's package, for its link. */
final class LeftScopes {
    private LeftScopes() {
    }

    @Warmup(3)
    @MaxAllocated(objects = 1000)
    static void allocates() {
        fail();
    }

    @MaxLive(objects = 1000)
    static void leaves() {
        fail();
    }

    static void fail() {
        throw new IllegalStateException("of the test's own");
    }

    static void limited(String method) {
        try {
            LimitedTest.run(LeftScopes.class.getDeclaredMethod(method), List.of(LeftScopes.class),
                    method, LeftScopes::fail, LeftScopes::fail);
        } catch (IllegalStateException thrown) {
            throw thrown;
        } catch (Throwable other) {
            throw new AssertionError(other);
        }
    }

    /** The number of a scope of which nothing is left. */
    static long taken() {
        long scope = AgentLink.begin(AgentLink.NOTHING, "", "", false);
        AgentLink.end(scope);
        AgentLink.take(scope, 0, 0);
        return scope;
    }

    static void tell(String what, Runnable work) {
        long before = AgentLink.counts() ? taken() : 0;
        boolean thrown = false;
        try {
            work.run();
        } catch (IllegalStateException passedOn) {
            thrown = true;
        }
        long after = taken();
        int left = 0;
        for (long scope = before + 1; scope < after; ++scope) {
            left += AgentLink.take(scope, 0, 0) == null ? 0 : 1;
        }
        System.out.println(what + " thrown " + thrown + " begun " + (after - before - 1) + " left " + left);
    }

    public static void main(String[] arguments) {
        // The connection's scope was the first one.
        int first = AgentLink.counts() && AgentLink.take(1, 0, 0) != null ? 1 : 0;
        System.out.println("connecting left " + first);
        tell("during", () -> Allocations.during(LeftScopes::fail));
        tell("allocated", () -> limited("allocates"));
        tell("live", () -> limited("leaves"));
        tell("passed", () -> Allocations.during(() -> { }));
    }
}
