/** The sinks of every_patch(), see bci/tool/every_patch.h: they touch what they are given. */
public class EverySinks {
    static int seen;

    public static void take(Object value) {
        seen += value == null ? 1 : value.getClass().getName().length();
    }

    public static void take(int value) {
        seen += value;
    }

    public static void take(long value) {
        seen += (int) value;
    }

    public static void take(float value) {
        seen += (int) value;
    }

    public static void take(double value) {
        seen += (int) value;
    }

    public static void take(int first, Object value, int last) {
        take(value);
    }

    public static void take(int first, long value, int last) {
        seen += (int) value;
    }

    public static void take(int first, double value, int last) {
        seen += (int) value;
    }

    public static void numbers(int one) { }

    public static void numbers(int one, int two) { }

    public static void numbers(int one, int two, int three) { }

    public static long begin() {
        return 4711;
    }

    public static void end(int method, long began) {
        if (began != 0 && began != 4711) {
            throw new AssertionError("a local variable was overwritten: " + began);
        }
    }

    public static void when(int block, boolean holds) { }

    public static boolean test(long left, int relation, long right) {
        return left != right;
    }

    public static boolean test(double left, int relation, double right) {
        return left != right;
    }

    public static boolean test(Object left, int relation) {
        return left != null;
    }

    public static boolean test(Object left, int relation, String right) {
        return !right.equals(left);
    }
}
