import java.util.ArrayList;
import java.util.List;

/** Loads one class by ever more loaders until there is no room for classes. */
final class ManyClasses {
    static final class Copied {
    }

    static final class Loader extends ClassLoader {
        Class<?> copy(byte[] bytes) {
            return defineClass("ManyClasses$Copied", bytes, 0, bytes.length);
        }
    }

    public static void main(String[] arguments) throws Exception {
        byte[] bytes;
        try (var in = ManyClasses.class.getResourceAsStream("ManyClasses$Copied.class")) {
            bytes = in.readAllBytes();
        }
        List<Class<?>> all = new ArrayList<>();
        try {
            byte[] tooLong = new byte[Integer.MAX_VALUE];
            System.out.println(tooLong.length);
        } catch (OutOfMemoryError e) {
            System.out.println("too long");
        }
        try {
            while (true) all.add(new Loader().copy(bytes));
        } catch (OutOfMemoryError e) {
            System.out.println(all.size() > 100 ? "no room" : "too soon");
        }
    }
}
