package ddm.test;

import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Limits that are much higher than what their tests allocate: these could grow several times before
 * anybody notices. Told after all tests, since the largest use of a limit counts: of repetitions and
 * parameters, and of all tests of a class that has one.
 */
final class RoomyLimits {
    private static final int TOLD = 5;
    private static final int TIMES = 10;
    /** Limits up to these are not told, however little a test uses. */
    private static final long FEW_OBJECTS = 100;
    private static final long FEW_BYTES = 10_000;

    /** By where the limits stand. */
    private static final Map<AnnotatedElement, RoomyLimits> ALL = new LinkedHashMap<>();

    private final String name;
    private final String used;
    private final long objects;
    private final long bytes;
    private long usedObjects;
    private long usedBytes;

    private RoomyLimits(AnnotatedElement place, String test, long objects, long bytes) {
        boolean ofMethod = place instanceof Method;
        // Without the number of a repetition.
        name = ofMethod ? test.replaceFirst("( ?\\[[^\\]]*\\])+$", "") : ((Class<?>) place).getName();
        used = ofMethod ? "; it used " : "; its tests used at most ";
        this.objects = objects;
        this.bytes = bytes;
    }

    /** A test has kept its limits; -1: it has none of that kind. */
    static void kept(AnnotatedElement place, String test, long objects, long bytes, long usedObjects,
            long usedBytes) {
        synchronized (ALL) {
            RoomyLimits one = ALL.computeIfAbsent(place,
                    at -> new RoomyLimits(at, test, objects, bytes));
            one.usedObjects = Math.max(one.usedObjects, usedObjects);
            one.usedBytes = Math.max(one.usedBytes, usedBytes);
        }
    }

    /** Once for each limit: several listeners may call this. */
    static void tell() {
        List<String> lines = new ArrayList<>();
        synchronized (ALL) {
            for (RoomyLimits one : ALL.values()) {
                one.addTo(lines);
            }
            ALL.clear();
        }
        lines.sort(null);
        for (String line : lines.subList(0, Math.min(lines.size(), TOLD))) {
            System.err.println("allocations: " + line);
        }
        if (lines.size() > TOLD) {
            System.err.println("allocations: and " + (lines.size() - TOLD) + " more");
        }
    }

    private void addTo(List<String> lines) {
        add(lines, "object", objects, FEW_OBJECTS, usedObjects);
        add(lines, "byte", bytes, FEW_BYTES, usedBytes);
    }

    private void add(List<String> lines, String what, long limit, long few, long now) {
        if (limit > few && limit / TIMES > now) {
            lines.add("the limit of " + name + " is " + Figures.count(limit, what) + used
                    + String.format(Locale.ROOT, "%,d", now));
        }
    }
}
