import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Makes and drops class loaders, each with a class of its own that allocates; prints the resident
 * set after a quarter of the rounds and at the end. Arguments: rounds.
 */
public class Loaders {
    public static volatile Object sink;

    public static class Loaded implements Runnable {
        public void run() {
            for (int i = 0; i < 5; i++) sink = new Payload();
        }
    }

    public static class Payload { long a; }

    static class Loader extends ClassLoader {
        Loader() { super(Loaders.class.getClassLoader()); }

        @Override protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!name.equals("Loaders$Loaded") && !name.equals("Loaders$Payload")) return super.loadClass(name, resolve);
            Class<?> known = findLoadedClass(name);
            if (known != null) return known;
            try (InputStream in = Loaders.class.getResourceAsStream(name + ".class")) {
                byte[] bytes = in.readAllBytes();
                return defineClass(name, bytes, 0, bytes.length);
            } catch (java.io.IOException e) {
                throw new ClassNotFoundException(name, e);
            }
        }
    }

    static long residentKiB() throws Exception {
        for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
            if (line.startsWith("VmRSS:")) return Long.parseLong(line.replaceAll("\\D", ""));
        }
        return -1;
    }

    public static void main(String[] args) throws Exception {
        int rounds = Integer.parseInt(args[0]);
        for (int i = 1; i <= rounds; i++) {
            Runnable loaded = (Runnable) new Loader().loadClass("Loaders$Loaded").getDeclaredConstructor().newInstance();
            loaded.run();
            if (i % 100 == 0) {
                loaded = null;
                sink = null;
                System.gc();
            }
            if (i == rounds / 4) System.out.println("RSS " + residentKiB());
        }
        System.out.println("RSS " + residentKiB());
        for (int i = 0; i < 3; i++) sink = new Payload();
    }
}
