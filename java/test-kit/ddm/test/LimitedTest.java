package ddm.test;

import java.lang.reflect.Method;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Runs a test under its limits: after its warm-up, with each pass measured. */
final class LimitedTest {
    /** A pass of the test. */
    interface Pass {
        void run() throws Throwable;
    }

    /** By a limited test's name: whether it has come to its end, where limits are looked at. */
    private static final Map<String, Boolean> HELD = new ConcurrentHashMap<>();

    private final int rule;
    private final Method method;

    /** `rule`: which allocations of a pass are the test's. */
    private LimitedTest(int rule, Method method) {
        this.rule = rule;
        this.method = method;
    }

    /** Runs `warmup` as often as the limits ask for, then `last`. `name`: for messages. */
    static void run(Method method, List<Class<?>> classes, String name, Pass warmup, Pass last)
            throws Throwable {
        new LimitedTest(AgentLink.BELOW_METHOD, method).run(classes, name, warmup, last);
    }

    /**
     * The same for a test that `factory` has made: no frame of the factory is on its stack, and
     * none of the program if it is a method of the JDK.
     */
    static void runDynamic(Method factory, List<Class<?>> classes, String name, Pass warmup,
            Pass last) throws Throwable {
        new LimitedTest(AgentLink.EVERYTHING, factory).run(classes, name, warmup, last);
    }

    /** Why the limits of a test that has passed were not looked at; null: they were. */
    static String unheld(Method method, List<Class<?>> classes, String name, String missing) {
        Limits limits = Limits.of(method, classes);
        Boolean held = HELD.get(name);
        if (limits == null || !limits.limited || Boolean.TRUE.equals(held)) {
            return null;
        }
        return name + " is not held to its limits: "
                + (held == null ? missing : "it has thrown, and what runs around it caught that");
    }

    private void run(List<Class<?>> classes, String name, Pass warmup, Pass last) throws Throwable {
        Limits limits = Limits.of(method, classes);
        String misplaced = Places.misplaced(classes.get(0));
        if (limits == null && misplaced.isEmpty()) {
            last.run();
            return;
        }
        HELD.put(name, false);
        if (AgentLink.counts()) {
            hold(limits, misplaced, name, warmup, last);
        } else {
            AgentLink.require();
            AgentLink.tell(AgentLink.problem());
            last.run();
        }
        HELD.put(name, true);
    }

    private void hold(Limits limits, String misplaced, String name, Pass warmup, Pass last)
            throws Throwable {
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
