import java.util.function.IntFunction;
import java.util.function.Supplier;

/** What needs newer class files: methods of interfaces, lambdas, enums, string switches. */
public class Modern {
    interface Shape {
        int[] SIZES = new int[] {1, 2, 3};

        default int size() {
            return make(new int[2]).length;
        }

        static int[] make(int[] array) {
            return new int[array.length + 1];
        }
    }

    enum Color { RED, GREEN, BLUE }

    static int interfaces() {
        Shape shape = new Shape() { };
        return shape.size() + Shape.SIZES.length;
    }

    static int lambdas(int n) {
        Supplier<int[]> supplier = () -> new int[n];
        IntFunction<int[]> reference = int[]::new;
        return supplier.get().length + reference.apply(n).length;
    }

    static int enums() {
        return Color.values().length + Color.valueOf("GREEN").ordinal();
    }

    static String strings(String s) {
        switch (s) {
            case "one": return "1" + s;
            case "two": return "2" + s;
            default: return s + new int[1].length;
        }
    }

    static int resources(boolean fail) throws Exception {
        try (AutoCloseable first = () -> { }; AutoCloseable second = () -> { }) {
            if (fail) {
                throw new Exception("body");
            }
            return new int[2].length;
        }
    }
}
