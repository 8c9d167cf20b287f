package ddm.test;

import java.lang.reflect.Method;

/** Runs a test method under its limits: as often as it has to, and measured each time. */
final class LimitedTest {
    /** A pass of the test. */
    interface Pass {
        void run() throws Throwable;
    }

    private LimitedTest() {
    }

    /** `warmup` is one pass before the last, which is `last`. `name`: as messages have it. */
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
        Figures before = null;
        for (int i = 0; i < limits.warmup; ++i) {
            Figures now = measure(method, warmup, false);
            if (now != null && before != null && now.objects == before.objects
                    && now.bytes == before.bytes) {
                break;
            }
            before = now;
        }
        Figures figures = measure(method, last, limits.wantsLive());
        if (figures != null) {
            limits.check(name, figures);
        }
    }

    /** Null: tracking was switched meanwhile. */
    private static Figures measure(Method method, Pass pass, boolean live) throws Throwable {
        String className = method.getDeclaringClass().getName();
        long scope = AgentLink.begin(AgentLink.BELOW_METHOD, className, method.getName(), live);
        try {
            pass.run();
        } finally {
            AgentLink.end(scope);
        }
        return Figures.of(scope, Figures.ALL_SITES, Figures.MOST_FRAMES);
    }
}
