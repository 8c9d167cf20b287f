import java.io.IOException;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.jar.JarFile;
import java.util.stream.Stream;

/**
 * Loads and links every class of the JDK it runs on, or of jar files, without initialising any.
 *
 * <p>Arguments: {@code all} (every module), module names, {@code victim}, or jar files, each followed
 * by a colon and the jars it needs. {@code N/M} before a module: each Mth of its classes, from the
 * Nth on. Prints what happened; the exit code is 1 if any class was refused.
 */
public class Sweep {
    private int first;
    private int step = 1;
    private int passed;
    private int seen;
    private int linked;
    private int refused;
    private final Map<String, Integer> unlinkable = new TreeMap<>();

    /** Spoilt by the agent's option "broken", as is a class of the boot loader. */
    static class Victim { }

    /** Counts of the agent. */
    private static native String counts();

    public static void main(String[] args) throws Exception {
        Sweep sweep = new Sweep();
        for (String arg : args) {
            if (arg.equals("victim")) {
                sweep.link("Sweep$Victim.class", Sweep.class.getClassLoader());
                sweep.link("java/util/zip/Adler32.class", null);
            } else if (arg.matches("\\d+/\\d+")) {
                sweep.first = Integer.parseInt(arg.split("/")[0]);
                sweep.step = Integer.parseInt(arg.split("/")[1]);
            } else if (arg.contains(".jar")) {
                sweep.jar(arg.split(":"));
            } else {
                sweep.modules(arg.equals("all") ? null : arg);
            }
        }
        System.out.println("classes " + sweep.seen);
        System.out.println("linked " + sweep.linked);
        System.out.println("refused " + sweep.refused);
        sweep.unlinkable.forEach((why, count) -> System.out.println("unlinkable " + why + " " + count));
        System.out.print(counts());
        System.exit(sweep.refused == 0 ? 0 : 1);
    }

    private void modules(String only) throws IOException {
        FileSystem jrt = FileSystems.getFileSystem(URI.create("jrt:/"));
        List<Path> modules;
        try (Stream<Path> list = Files.list(jrt.getPath("/modules"))) {
            modules = list.toList();
        }
        for (Path module : modules) {
            if (only != null && !module.getFileName().toString().equals(only)) {
                continue;
            }
            List<String> names = new ArrayList<>();
            try (Stream<Path> walk = Files.walk(module)) {
                walk.map(path -> module.relativize(path).toString()).forEach(names::add);
            }
            names.sort(null);
            for (String name : names) {
                link(name, ClassLoader.getSystemClassLoader());
            }
        }
    }

    private void jar(String[] paths) throws IOException {
        URL[] urls = new URL[paths.length];
        for (int i = 0; i < paths.length; i++) {
            urls[i] = Path.of(paths[i]).toUri().toURL();
        }
        ClassLoader loader = new URLClassLoader(urls);
        try (JarFile jar = new JarFile(paths[0])) {
            for (String name : jar.stream().map(entry -> entry.getName()).toList()) {
                link(name, loader);
            }
        }
    }

    private void link(String file, ClassLoader loader) {
        if (!file.endsWith(".class") || file.endsWith("module-info.class")
                || file.startsWith("META-INF/")) {
            return;
        }
        if (passed++ % step != first) {
            return;
        }
        String name = file.substring(0, file.length() - ".class".length()).replace('/', '.');
        seen++;
        try {
            // HotSpot links a class before it lists its constructors, and does not initialise it.
            Class.forName(name, false, loader).getDeclaredConstructors();
            linked++;
        } catch (VerifyError | ClassFormatError | IncompatibleClassChangeError refusal) {
            refused++;
            System.out.println("REFUSED " + name + ": " + refusal);
        } catch (Throwable missing) {
            // A class that this one needs is not there: nothing to do with rewriting.
            unlinkable.merge(missing.getClass().getSimpleName(), 1, Integer::sum);
        }
    }
}
