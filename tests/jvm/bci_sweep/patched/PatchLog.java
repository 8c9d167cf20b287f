import java.util.StringJoiner;

/** The sinks of patched code: they write down what they are given, one word a call. */
public class PatchLog {
    private static final int MOST = 100_000;
    static StringJoiner log = new StringJoiner(" ");
    static int calls;

    private static void add(String word) {
        if (calls++ < MOST) {
            log.add(word);
        }
    }

    static String text(Object value) {
        if (value == null || value instanceof String || value instanceof Number
                || value instanceof Throwable) {
            return String.valueOf(value).replace(' ', '_');
        }
        if (value instanceof Class<?> type) {
            return type.getName();
        }
        if (value instanceof Patched patched) {
            return "Patched" + patched.number;
        }
        return value instanceof Thread thread ? thread.getName() : value.getClass().getSimpleName();
    }

    public static void at(int id) {
        add("" + id);
    }

    public static void value(int id, Object value) {
        add(id + "=" + text(value));
    }

    public static void value(Object value, int id) {
        add(id + "=" + text(value));
    }

    public static void value(int id, int value) {
        add(id + "=" + value);
    }

    public static void value(int value, byte unused, int id) {
        add(id + "=" + value);
    }

    public static void value(int id, long value) {
        add(id + "=" + value + "L");
    }

    public static void value(int id, float value) {
        add(id + "=" + value + "f");
    }

    public static void value(int id, double value) {
        add(id + "=" + value);
    }

    public static void three(int id, Object target, Object value) {
        add(id + "=" + text(target) + "," + text(value));
    }

    public static void three(int id, Object target, long value) {
        add(id + "=" + text(target) + "," + value);
    }

    public static void argument(int id, int which, Object value) {
        add(id + "=" + which + ":" + text(value));
    }

    public static void argument(int id, int which, long value) {
        add(id + "=" + which + ":" + value);
    }

    public static void argument(int id, int which, double value) {
        add(id + "=" + which + ":" + value);
    }

    public static void when(int id, boolean holds) {
        if (holds) {
            add("" + id);
        }
    }

    public static long begin() {
        return 4711;
    }

    public static Object token(Object value) {
        return value;
    }

    public static boolean test(long left, int relation, long right) {
        return holds(Long.compare(left, right), relation);
    }

    public static boolean test(double left, int relation, double right) {
        return holds(Double.compare(left, right), relation);
    }

    public static boolean test(Object left, int relation) {
        return (left == null) == (relation == 0);
    }

    public static boolean test(Object left, int relation, String right) {
        return right.equals(left) == (relation == 0);
    }

    private static boolean holds(int order, int relation) {
        return switch (relation) {
            case 0 -> order == 0;
            case 1 -> order != 0;
            case 2 -> order < 0;
            case 3 -> order <= 0;
            case 4 -> order > 0;
            default -> order >= 0;
        };
    }

    static String take() {
        String taken = log.toString();
        log = new StringJoiner(" ");
        calls = 0;
        return taken;
    }
}
