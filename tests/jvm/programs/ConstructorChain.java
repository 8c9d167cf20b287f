import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.function.Supplier;

/**
 * Objects whose constructor calls the superclass's, which calls its own superclass's, and so on.
 * Arguments: how many objects, and how many constructors each runs through but for that of Object.
 * make() of the class ConstructorChain$Level000 makes them, and main() one by reflection.
 */
public class ConstructorChain {
    public static volatile Object sink;

    /** Below them all; levels are copies of Level000 with other names. */
    public static class Bottom00 {
        final int n;
        public Bottom00(int n) { this.n = n; }
    }

    public static class Level000 extends Bottom00 implements Supplier<Object> {
        public Level000(int n) { super(n); }
        public Object get() { return make(); }
        static Object make() { return new Level000(1); }
    }

    static class Loader extends ClassLoader {
        private final int levels;
        private final String template;

        Loader(int levels) throws Exception {
            super(ConstructorChain.class.getClassLoader());
            this.levels = levels;
            try (InputStream in = ConstructorChain.class.getResourceAsStream("ConstructorChain$Level000.class")) {
                template = new String(in.readAllBytes(), StandardCharsets.ISO_8859_1);
            }
        }

        static String name(int level) { return String.format("Level%03d", level); }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!name.startsWith("ConstructorChain$Level")) return super.loadClass(name, resolve);
            Class<?> loaded = findLoadedClass(name);
            if (loaded != null) return loaded;
            int level = Integer.parseInt(name.substring(name.length() - 3));
            byte[] file = template.replace("Level000", name(level))
                .replace("Bottom00", level + 2 < levels ? name(level + 1) : "Bottom00")
                .getBytes(StandardCharsets.ISO_8859_1);
            return defineClass(name, file, 0, file.length);
        }
    }

    public static void main(String[] args) throws Exception {
        int count = Integer.parseInt(args[0]), levels = Integer.parseInt(args[1]);
        Loader loader = new Loader(levels);
        // From below: the VM loads superclasses by recursion.
        for (int level = levels - 2; level > 0; level--) loader.loadClass("ConstructorChain$" + Loader.name(level));
        Supplier<?> top = (Supplier<?>) loader.loadClass("ConstructorChain$Level000")
            .getDeclaredConstructor(int.class).newInstance(0);
        for (int i = 0; i < count; i++) sink = top.get();
    }
}
