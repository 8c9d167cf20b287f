import java.lang.management.ClassLoadingMXBean;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Scanner;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A program with as many loaded classes as the argument says: links classes of the JDK, in
 * alphabetical order of their names, until they are so many. A thread of its own measures its gaps: it sleeps for a
 * millisecond, over and over, and keeps the longest time by which it came back late. For each line
 * on stdin prints "GAP MICROSECONDS", the longest since the line before.
 */
public class ManyClasses {
    static volatile long longest;
    static volatile boolean forget;

    static void measureGaps() {
        long before = System.nanoTime();
        while (true) {
            try {
                Thread.sleep(1);
            } catch (InterruptedException e) {
                return;
            }
            long now = System.nanoTime();
            if (forget) {
                longest = 0;
                forget = false;
            }
            longest = Math.max(longest, now - before - 1_000_000);
            before = now;
        }
    }

    static List<String> names() throws Exception {
        Path root = FileSystems.getFileSystem(URI.create("jrt:/")).getPath("/modules");
        try (Stream<Path> files = Files.walk(root)) {
            return files.map(root::relativize)
                    .filter(p -> p.getNameCount() > 2 && p.toString().endsWith(".class"))
                    .filter(p -> p.startsWith("java.base") || p.startsWith("java.xml")
                            || p.startsWith("jdk.compiler") || p.startsWith("java.desktop"))
                    .map(p -> p.subpath(1, p.getNameCount()).toString())
                    .map(s -> s.substring(0, s.length() - ".class".length()).replace('/', '.'))
                    .sorted().collect(Collectors.toList());
        }
    }

    public static void main(String[] args) throws Exception {
        int wanted = Integer.parseInt(args[0]);
        ClassLoader loader = ClassLoader.getSystemClassLoader();
        ClassLoadingMXBean loading = ManagementFactory.getClassLoadingMXBean();
        for (String name : names()) {
            if (loading.getLoadedClassCount() >= wanted) break;
            try {
                Class.forName(name, false, loader).getDeclaredMethods();  // this links it
            } catch (LinkageError | ClassNotFoundException e) {
                // needs what is not there
            }
        }
        int loaded = loading.getLoadedClassCount();
        if (loaded < wanted) throw new AssertionError("only " + loaded + " classes");
        Thread gaps = new Thread(ManyClasses::measureGaps, "gaps");
        gaps.setDaemon(true);
        gaps.start();
        System.out.println("ready");
        Scanner in = new Scanner(System.in);
        while (in.hasNextLine()) {
            in.nextLine();
            long gap = longest;
            forget = true;
            System.out.println("GAP " + gap / 1000);
        }
    }
}
