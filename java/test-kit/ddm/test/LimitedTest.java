package ddm.test;

import java.lang.reflect.Method;

/** Runs a test under its limits: after its warm-up, with each pass measured. */
final class LimitedTest {
    /** A pass of the test. */
    interface Pass {
        void run() throws Throwable;
    }

    private final int rule;
    private final Method method;

    /** `rule`: which allocations of a pass are the test's. */
    private LimitedTest(int rule, Method method) {
        this.rule = rule;
        this.method = method;
    }

    /** Runs `warmup` as often as the limits ask for, then `last`. `name`: for messages. */
    static void run(Method method, Class<?> testClass, String name, Pass warmup, Pass last)
            throws Throwable {
        new LimitedTest(AgentLink.BELOW_METHOD, method).run(testClass, name, warmup, last);
    }

    /** The same for a test that `factory` has made: no frame of the factory is on its stack. */
    static void runDynamic(Method factory, Class<?> testClass, String name, Pass warmup, Pass last)
            throws Throwable {
        new LimitedTest(AgentLink.PROGRAM, factory).run(testClass, name, warmup, last);
    }

    private void run(Class<?> testClass, String name, Pass warmup, Pass last) throws Throwable {
        Limits limits = Limits.of(method, testClass);
        String misplaced = Places.misplaced(testClass);
        if (limits == null && misplaced.isEmpty()) {
            last.run();
            return;
        }
        if (!AgentLink.counts()) {
            AgentLink.require();
            last.run();
            return;
        }
        if (!misplaced.isEmpty()) {
            throw new AssertionError(name + ": " + misplaced);
        }
        limits.requireEffect(name);
        if (limits.warmup > 0) {
            warmUp(limits.warmup, warmup);
        }
        if (!limits.limited) {
            last.run();
            return;
        }
        Figures figures = measure(last, limits.wantsLive());
        if (figures == null) {
            throw new AssertionError(name + " could not be held to its limits: " + Figures.NONE);
        }
        limits.check(name, figures);
    }

    /** Not counted in any scope that is open. */
    private void warmUp(int most, Pass warmup) throws Throwable {
        long uncounted = AgentLink.begin(AgentLink.NOTHING, "", "", false);
        try {
            Figures before = null;
            for (int i = 0; i < most; ++i) {
                Figures now = measure(warmup, false);
                if (now != null && before != null && now.objects == before.objects
                        && now.bytes == before.bytes) {
                    return;
                }
                before = now;
            }
        } finally {
            AgentLink.drop(uncounted);
        }
    }

    /** Null: no figures, since tracking was switched meanwhile. */
    private Figures measure(Pass pass, boolean live) throws Throwable {
        long scope = AgentLink.begin(rule, method.getDeclaringClass().getName(), method.getName(), live);
        try {
            pass.run();
        } catch (Throwable thrown) {
            AgentLink.drop(scope);
            throw thrown;
        }
        AgentLink.end(scope);
        return Figures.of(scope);
    }
}
