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
