/** The hooks that rewritten code calls: counts only. */
public class HookLog {
    static int objects, one, inner, many, calledArrays, calling, entered, left, thrown;

    public static void object(Object made) {
        objects++;
    }

    public static void array(Object array) {
        one++;
    }

    public static void arrays(Object array, int dimensions) {
        many++;
        inner += innerArrays(array, dimensions);
    }

    private static int innerArrays(Object array, int dimensions) {
        if (dimensions == 1) {
            return 0;
        }
        Object[] elements = (Object[]) array;
        int count = elements.length;
        for (Object element : elements) {
            count += innerArrays(element, dimensions - 1);
        }
        return count;
    }

    public static void called(Object result) {
        if (result != null && result.getClass().isArray()) {
            calledArrays++;
        }
    }

    public static void callingOn(Object receiver) { }

    public static void constructed(Object made) { }

    public static void calling(int first, int second) {
        calling++;
    }

    public static void enter(int first, int second) {
        entered++;
    }

    public static void leave(int first, int second) {
        left++;
    }

    public static void thrown(int first, int second) {
        thrown++;
    }

    static void reset() {
        objects = one = inner = many = calledArrays = calling = entered = left = thrown = 0;
    }
}
