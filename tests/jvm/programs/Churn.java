import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Supplier;

/**
 * Classes that come and go, each with a name of its own. Arguments: how many. Prints the resident
 * set in KiB after a quarter of them and at the end.
 */
public class Churn {
    public static volatile Object sink;

    public static class Template00000 implements Runnable {
        public void run() { sink = new Template00000[1]; }
    }

    static class Loader extends ClassLoader {
        Loader() { super(Churn.class.getClassLoader()); }

        Runnable make(String name, byte[] bytes) throws Exception {
            return (Runnable) defineClass(name, bytes, 0, bytes.length).getDeclaredConstructor().newInstance();
        }
    }

    static long residentKiB() throws Exception {
        for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
            if (line.startsWith("VmRSS:")) return Long.parseLong(line.replaceAll("\\D", ""));
        }
        return -1;
    }

    static Supplier<Object> lasting(Object held) { return () -> held; }

    public static void main(String[] args) throws Exception {
        int count = Integer.parseInt(args[0]);
        String template;
        try (InputStream in = Churn.class.getResourceAsStream("Churn$Template00000.class")) {
            template = new String(in.readAllBytes(), StandardCharsets.ISO_8859_1);
        }
        for (int i = 1; i <= count; i++) {
            String name = String.format("Template%05d", i);
            byte[] bytes = template.replace("Template00000", name).getBytes(StandardCharsets.ISO_8859_1);
            new Loader().make("Churn$" + name, bytes).run();
            sink = lasting(name);  // an object of a hidden class
            if (i % 500 == 0) System.gc();
            if (i == count / 4) System.out.println("RSS " + residentKiB());
        }
        System.out.println("RSS " + residentKiB());
    }
}
