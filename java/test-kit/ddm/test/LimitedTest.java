package ddm.test;

import java.lang.reflect.Method;

/** Runs a test method under its limits: after its warm-up, with each pass measured. */
final class LimitedTest {
    /** A pass of the test. */
    interface Pass {
        void run() throws Throwable;
    }

    private LimitedTest() {
    }

    /** Runs `warmup` as often as the limits ask for, then `last`. `name`: for messages. */
    static void run(Method method, Class<?> testClass, String name, Pass warmup, Pass last)
            throws Throwable {
        Limits limits = Limits.of(method, testClass);
        if (limits == null) {
            last.run();
            return;
        }
        if (!AgentLink.counts()) {
            AgentLink.require();
            last.run();
            return;
        }
        if (limits.warmup > 0) {
            warmUp(method, limits.warmup, warmup);
        }
        if (!limits.limited) {
            last.run();
            return;
        }
        Figures figures = measure(method, last, limits.wantsLive());
        if (figures != null) {
            limits.check(name, figures);
        }
    }

    /** Not counted in any scope that is open. */
    private static void warmUp(Method method, int most, Pass warmup) throws Throwable {
        long uncounted = AgentLink.begin(AgentLink.NOTHING, "", "", false);
        try {
            Figures before = null;
            for (int i = 0; i < most; ++i) {
                Figures now = measure(method, warmup, false);
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
    private static Figures measure(Method method, Pass pass, boolean live) throws Throwable {
        String className = method.getDeclaringClass().getName();
        long scope = AgentLink.begin(AgentLink.BELOW_METHOD, className, method.getName(), live);
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
