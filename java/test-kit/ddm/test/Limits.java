package ddm.test;

import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.List;

/**
 * The limits in the annotations of a test: of allocations and of what stays alive, each those that
 * are nearest.
 */
final class Limits {
    private static final int SHOWN_SITES = 5;
    private static final int SHOWN_FRAMES = 8;

    private final long objects;
    private final long bytes;
    private final Class<?>[] types;
    private final String[] from;
    private final Threads threads;
    /** Where the limit of allocations stands. */
    private final AnnotatedElement place;
    private final long liveObjects;
    private final long liveBytes;
    /** False: there is just a warm-up. */
    final boolean limited;
    final int warmup;

    /** Why a limit holds nothing back, however much a test allocates; null: it does. */
    private final String problem;

    private Limits(AnnotatedElement place, MaxAllocated most, NoAllocation none, MaxLive live,
            Warmup warmup) {
        this.place = place;
        limited = most != null || none != null || live != null;
        liveObjects = live != null ? live.objects() : -1;
        liveBytes = live != null ? live.bytes() : -1;
        objects = none != null ? 0 : most != null ? most.objects() : -1;
        bytes = none == null && most != null ? most.bytes() : -1;
        types = none == null && most != null ? most.types() : new Class<?>[0];
        from = none == null && most != null ? most.from() : new String[0];
        threads = none != null ? none.threads() : most != null ? most.threads() : Threads.STARTED;
        this.warmup = warmup == null ? 0 : Math.max(warmup.value(), 0);
        problem = problem(most, none, live);
    }

    /**
     * Null: the test has none of the annotations. `classes`: its own, then those that it is
     * {@code @Nested} in.
     */
    static Limits of(Method method, List<Class<?>> classes) {
        List<AnnotatedElement> places = Places.of(method, classes);
        MaxAllocated most = null;
        NoAllocation none = null;
        AnnotatedElement place = method;
        for (int i = 0; i < places.size() && most == null && none == null; ++i) {
            place = places.get(i);
            most = Places.find(place, MaxAllocated.class);
            none = Places.find(place, NoAllocation.class);
        }
        Limits result = new Limits(place, most, none, nearest(places, MaxLive.class),
                nearest(places, Warmup.class));
        return result.limited || result.warmup > 0 ? result : null;
    }

    private static <A extends Annotation> A nearest(List<AnnotatedElement> places, Class<A> kind) {
        for (AnnotatedElement place : places) {
            A found = Places.find(place, kind);
            if (found != null) {
                return found;
            }
        }
        return null;
    }

    private static String problem(MaxAllocated most, NoAllocation none, MaxLive live) {
        if (most != null && none != null) {
            return "@MaxAllocated has no effect beside @NoAllocation";
        }
        if (most != null && most.objects() < 0 && most.bytes() < 0) {
            return "@MaxAllocated limits nothing without objects = or bytes =";
        }
        if (live != null && live.objects() < 0 && live.bytes() < 0) {
            return "@MaxLive limits nothing without objects = or bytes =";
        }
        for (String place : most == null ? new String[0] : most.from()) {
            int dot = place.lastIndexOf('.');
            Class<?> type = dot < 0 ? null : TestMethods.classOf(place.substring(0, dot));
            if (type != null && !TestMethods.hasCode(type, place.substring(dot + 1))) {
                return "@MaxAllocated(from = \"" + place + "\") limits nothing: " + type.getName()
                        + " has no code of such a method";
            }
        }
        for (Class<?> type : most == null ? new Class<?>[0] : most.types()) {
            // Arrays' classes are abstract, too.
            if (type.isPrimitive() || (!type.isArray() && Modifier.isAbstract(type.getModifiers()))) {
                return "@MaxAllocated(types = " + type.getTypeName() + ".class) limits nothing: it means"
                        + " objects of exactly this class, of which there are none";
            }
        }
        return null;
    }

    /** Throws an AssertionError if a limit of the test limits nothing. */
    void requireEffect(String test) {
        if (problem != null) {
            throw new AssertionError(test + ": " + problem);
        }
    }

    /** Throws an AssertionError if a limit is exceeded, or if that cannot be known. */
    void check(String test, Figures figures) {
        if (figures.lost > 0) {
            throw new AssertionError(test + " could not be held to its limits: "
                    + Figures.noRoom(figures.lost));
        }
        if (wantsLive() && figures.liveObjects < 0) {
            throw new AssertionError(test + " could not be held to its limits: what is alive is not"
                    + " known, and the agent's log says why");
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
            throw new AssertionError(test + " allocated " + Figures.amount(madeObjects, madeBytes)
                    + "; the limit is " + limit(objects, bytes) + text(counted));
        }
        if (isBroken(figures.liveObjects, liveObjects, figures.liveBytes, liveBytes)) {
            throw new AssertionError(test + " leaves "
                    + Figures.amount(figures.liveObjects, figures.liveBytes)
                    + " alive; the limit is " + limit(liveObjects, liveBytes)
                    + text(figures.aliveSites));
        }
        RoomyLimits.kept(place, test, objects, bytes, madeObjects, madeBytes);
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
        // What is missing of a stack that deep may be any of them.
        boolean matches = from.length == 0 || site.stack().size() >= Figures.MOST_FRAMES;
        for (String place : from) {
            matches |= site.hasFrameOf(place);
        }
        return ofType && matches;
    }

    private static String text(List<AllocationSite> sites) {
        StringBuilder text = new StringBuilder();
        for (AllocationSite site : sites.subList(0, Math.min(sites.size(), SHOWN_SITES))) {
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
        return text.toString();
    }
}
