package ddm.test;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The allocations of all tests of this JVM, in a file that {@code ddm gate} reads. There is one for
 * the process, for all test frameworks; its lock is held while files are written.
 */
final class Ledger {
    private static final Ledger INSTANCE = new Ledger();

    /** Objects and bytes; null: allocations of the test are missing. */
    private final Map<String, long[]> tests = new TreeMap<>();
    /** Of a name that has recurred: the last number that was looked at; all below are taken. */
    private final Map<String, Integer> numbers = new HashMap<>();
    private final String path = path();
    private long lines = -1;
    private OutputStream sites;
    private boolean failed;
    private long lost;
    /** There are tests that are not in the file yet. */
    private boolean pending;
    private final Set<String> gaps = new TreeSet<>();

    private Ledger() {
    }

    static Ledger instance() {
        return INSTANCE;
    }

    private static String path() {
        String given = System.getProperty("ddm.allocations", "allocations.txt");
        return given.contains("%p")
                ? given.replace("%p", Long.toString(ProcessHandle.current().pid())) : given;
    }

    boolean wanted() {
        return !path.equals("off");
    }

    /** Adds the allocations of a test, from a scope that has ended. */
    synchronized void add(String test, long scope) {
        String name = freeName(test);
        if (lines < 0) {
            lines = AgentLink.beginLines();
            tellOfEarlyEnd();
        }
        pending = true;
        byte[] written = AgentLink.takeLines(scope, lines, name);
        if (written == null) {
            tests.put(name, null);
            addGap("there are tests without figures: " + Figures.NONE);
            return;
        }
        Figures figures = Figures.sums(written);
        tests.put(name, figures.lost > 0 ? null : new long[] {figures.objects, figures.bytes});
        lost += figures.lost;
        try {
            writeSites(written);
        } catch (IOException failure) {
            reportFailure(failure);
        }
    }

    /** Marks the list: a limit has no effect, or a test no figures. */
    synchronized void addGap(String why) {
        if (gaps.add(why)) {
            System.err.println("allocations: " + why);
        }
    }

    /** The name, with the first number that is free if the name is taken. */
    private String freeName(String test) {
        if (!tests.containsKey(test)) {
            return test;
        }
        int again = numbers.getOrDefault(test, 2);
        while (tests.containsKey(test + "[" + again + "]")) {
            ++again;
        }
        numbers.put(test, again);
        return test + "[" + again + "]";
    }

    /** A test that ends the JVM leaves a list that is none to compare, not the former one. */
    private void tellOfEarlyEnd() {
        Runnable write = () -> {
            synchronized (this) {
                if (pending) {
                    addGap("the JVM has ended before its tests");
                    write();
                }
            }
        };
        try {
            Runtime.getRuntime().addShutdownHook(new Thread(write, "ddm allocations"));
        } catch (IllegalStateException ended) {
            addGap("the JVM has ended before its tests");
        }
    }

    /** Writes the tests so far; may be called again. */
    synchronized void write() {
        pending = false;
        if (tests.isEmpty()) {
            return;
        }
        long objects = 0;
        long bytes = 0;
        int incomplete = 0;
        Map.Entry<String, long[]> most = null;
        StringBuilder text = new StringBuilder("# jdk ").append(Runtime.version().feature());
        // ddm gate takes no list with such a line, so that nothing passes that was not measured.
        if (lost > 0) {
            text.append("\nincomplete: ").append(Figures.noRoom(lost));
        }
        for (String why : gaps) {
            text.append("\nincomplete: ").append(why);
        }
        for (Map.Entry<String, long[]> test : tests.entrySet()) {
            long[] amount = test.getValue();
            if (amount == null) {
                text.append('\n').append(test.getKey()).append("\tincomplete");
                ++incomplete;
                continue;
            }
            text.append('\n').append(test.getKey()).append('\t').append(amount[0]).append('\t')
                    .append(amount[1]);
            objects += amount[0];
            bytes += amount[1];
            if (most == null || amount[1] > most.getValue()[1]) {
                most = test;
            }
        }
        try {
            Files.writeString(Paths.get(path), text.append('\n'));
            if (sites != null) {
                sites.flush();
            }
        } catch (IOException failure) {
            reportFailure(failure);
            return;
        }
        String sums = "allocations: " + Figures.count(tests.size() - incomplete, "test") + ", "
                + Figures.count(objects, "object") + ", " + Figures.size(bytes);
        System.err.println(most == null ? sums : String.format(Locale.ROOT, "%s; most: %s %s in %,d",
                sums, most.getKey(), Figures.size(most.getValue()[1]), most.getValue()[0]));
        if (lost > 0) {
            System.err.println("allocations: " + path + " is marked as incomplete: "
                    + Figures.count(incomplete, "test") + " more; " + Figures.noRoom(lost));
        }
    }

    private void writeSites(byte[] written) throws IOException {
        if (failed) {
            return;
        }
        if (sites == null) {
            Path file = Paths.get(path + ".sites.jsonl");
            if (file.toAbsolutePath().getParent() != null) {
                Files.createDirectories(file.toAbsolutePath().getParent());
            }
            sites = new BufferedOutputStream(Files.newOutputStream(file), 1 << 16);
        }
        int begin = Figures.endOfSums(written);
        sites.write(written, begin, written.length - begin);
    }

    private void reportFailure(IOException failure) {
        if (!failed) {
            System.err.println("allocations: " + path + " cannot be written: " + failure);
        }
        failed = true;
    }
}
