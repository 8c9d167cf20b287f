package ddm.test;

import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;

/** The limits in the annotations of a test; those of the method hide those of its class. */
final class Limits {
    private static final int SHOWN_SITES = 5;
    private static final int SHOWN_FRAMES = 8;

    private final long objects;
    private final long bytes;
    private final Class<?>[] types;
    private final String[] from;
    private final Threads threads;
    private final long liveObjects;
    private final long liveBytes;
    /** False: there is just a warm-up. */
    final boolean limited;
    final int warmup;

    private Limits(MaxAllocated most, NoAllocation none, MaxLive live, Warmup warmup) {
        limited = most != null || none != null || live != null;
        liveObjects = live != null ? live.objects() : -1;
        liveBytes = live != null ? live.bytes() : -1;
        objects = none != null ? 0 : most != null ? most.objects() : -1;
        bytes = none == null && most != null ? most.bytes() : -1;
        types = none == null && most != null ? most.types() : new Class<?>[0];
        from = none == null && most != null ? most.from() : new String[0];
        threads = none != null ? none.threads() : most != null ? most.threads() : Threads.STARTED;
        this.warmup = warmup == null ? 0 : Math.max(warmup.value(), 0);
    }

    /** Null: the test has none of the annotations. */
    static Limits of(Method method, Class<?> testClass) {
        boolean here = has(method, MaxAllocated.class) || has(method, NoAllocation.class)
                || has(method, MaxLive.class);
        AnnotatedElement limits = here ? method : testClass;
        Warmup warmup = method.getAnnotation(Warmup.class);
        Limits result = new Limits(limits.getAnnotation(MaxAllocated.class),
                limits.getAnnotation(NoAllocation.class), limits.getAnnotation(MaxLive.class),
                warmup != null ? warmup : testClass.getAnnotation(Warmup.class));
        return result.limited || result.warmup > 0 ? result : null;
    }

    private static boolean has(Method method, Class<? extends java.lang.annotation.Annotation> type) {
        return method.isAnnotationPresent(type);
    }

    /** Throws an AssertionError if a limit is exceeded, or if that cannot be known. */
    void check(String test, Figures figures) {
        if (figures.lost > 0) {
            throw new AssertionError(test + " could not be held to its limits: "
                    + Figures.noRoom(figures.lost));
        }
        long madeObjects = 0;
        long madeBytes = 0;
        List<AllocationSite> counted = new ArrayList<>();
        for (AllocationSite site : figures.sites) {
            if (!site.firstUse() && counts(site)) {
                counted.add(site);
                madeObjects += site.objects();
                madeBytes += site.bytes();
            }
        }
        if (isBroken(madeObjects, objects, madeBytes, bytes)) {
            StringBuilder text = new StringBuilder(test).append(" allocated ")
                    .append(Figures.amount(madeObjects, madeBytes)).append("; the limit is ")
                    .append(limit(objects, bytes));
            append(text, counted);
            throw new AssertionError(text.toString());
        }
        if (isBroken(figures.liveObjects, liveObjects, figures.liveBytes, liveBytes)) {
            StringBuilder text = new StringBuilder(test).append(" leaves ")
                    .append(Figures.amount(figures.liveObjects, figures.liveBytes))
                    .append(" alive; the limit is ").append(limit(liveObjects, liveBytes))
                    .append("; of what it allocated:");
            append(text, figures.sites);
            throw new AssertionError(text.toString());
        }
    }

    boolean wantsLive() {
        return liveObjects >= 0 || liveBytes >= 0;
    }

    private static boolean isBroken(long nowObjects, long mostObjects, long nowBytes, long mostBytes) {
        return (mostObjects >= 0 && nowObjects > mostObjects) || (mostBytes >= 0 && nowBytes > mostBytes);
    }

    private static String limit(long objects, long bytes) {
        if (objects >= 0 && bytes >= 0) {
            return Figures.amount(objects, bytes);
        }
        return objects >= 0 ? Figures.count(objects, "object") : Figures.count(bytes, "byte");
    }

    private boolean counts(AllocationSite site) {
        if (threads == Threads.OWN && !site.ownThread()) {
            return false;
        }
        boolean ofType = types.length == 0;
        for (Class<?> type : types) {
            ofType |= type.getTypeName().equals(site.className());
        }
        boolean matches = from.length == 0;
        for (String place : from) {
            matches |= site.hasFrameOf(place);
        }
        return ofType && matches;
    }

    private static void append(StringBuilder text, List<AllocationSite> sites) {
        for (int i = 0; i < Math.min(sites.size(), SHOWN_SITES); ++i) {
            AllocationSite site = sites.get(i);
            text.append("\n    ").append(site.className()).append(": ")
                    .append(Figures.amount(site.objects(), site.bytes()));
            List<StackTraceElement> stack = site.stack();
            for (int f = 0; f < Math.min(stack.size(), SHOWN_FRAMES); ++f) {
                text.append("\n        ").append(f == 0 ? "at " : "by ").append(stack.get(f));
            }
        }
        if (sites.size() > SHOWN_SITES) {
            text.append("\n    and ").append(sites.size() - SHOWN_SITES).append(" sites more");
        }
    }
}
