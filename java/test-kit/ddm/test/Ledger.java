package ddm.test;

import java.io.BufferedWriter;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * What all tests of this JVM have allocated, in a file that {@code ddm gate} reads. One for the
 * process, whoever runs the tests; its lock is held while files are written.
 */
final class Ledger {
    /** The largest with all their frames, the others with some: one that is new may be small. */
    private static final int SITES_OF_TEST = 200;
    private static final int WHOLE_SITES = 20;
    private static final int FRAMES_OF_SITE = 24;
    private static final int FRAMES_OF_SMALL_SITE = 8;

    private static final Ledger INSTANCE = new Ledger();

    private final Map<String, long[]> tests = new TreeMap<>();
    private final String path = System.getProperty("ddm.allocations", "allocations.txt");
    private Writer sites;
    private boolean failed;
    private long lost;

    private Ledger() {
    }

    static Ledger ofProcess() {
        return INSTANCE;
    }

    boolean wanted() {
        return !path.equals("off");
    }

    /** What a test has allocated in a scope that has ended. */
    synchronized void add(String test, long scope) {
        Figures figures = Figures.of(scope, Figures.ALL_SITES, FRAMES_OF_SITE);
        if (figures == null) {
            return;
        }
        String name = test;
        for (int again = 2; tests.containsKey(name); ++again) {
            name = test + "[" + again + "]";
        }
        tests.put(name, new long[] {figures.objects, figures.bytes});
        lost += figures.lost;
        try {
            writeSites(name, figures);
        } catch (IOException failure) {
            tell(failure);
        }
    }

    /** Writes what there is so far; more may come. */
    synchronized void write() {
        if (tests.isEmpty()) {
            return;
        }
        long objects = 0;
        long bytes = 0;
        Map.Entry<String, long[]> most = null;
        StringBuilder text = new StringBuilder("# jdk ").append(Runtime.version().feature());
        for (Map.Entry<String, long[]> test : tests.entrySet()) {
            long[] amount = test.getValue();
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
            tell(failure);
        }
        System.err.println(String.format(Locale.ROOT,
                "allocations: %,d %s, %,d %s, %s; most: %s %s in %,d", tests.size(),
                tests.size() == 1 ? "test" : "tests", objects, objects == 1 ? "object" : "objects",
                Figures.size(bytes), most.getKey(), Figures.size(most.getValue()[1]),
                most.getValue()[0]));
        if (lost > 0) {
            System.err.println("allocations: " + lost + " are missing, since their stacks found no room;"
                    + " sites=512k gives most, and fewer tests at a time need less");
        }
    }

    private void writeSites(String test, Figures figures) throws IOException {
        if (failed) {
            return;
        }
        if (sites == null) {
            Path file = Paths.get(path + ".sites.jsonl");
            if (file.toAbsolutePath().getParent() != null) {
                Files.createDirectories(file.toAbsolutePath().getParent());
            }
            sites = new BufferedWriter(Files.newBufferedWriter(file));
        }
        int shown = 0;
        for (AllocationSite site : figures.sites) {
            if (site.firstUse() || shown == SITES_OF_TEST) {
                continue;
            }
            int frames = ++shown <= WHOLE_SITES ? FRAMES_OF_SITE : FRAMES_OF_SMALL_SITE;
            StringBuilder line = new StringBuilder("{\"test\":").append(quoted(test))
                    .append(",\"class\":").append(quoted(site.className())).append(",\"count\":")
                    .append(site.objects()).append(",\"bytes\":").append(site.bytes())
                    .append(",\"stack\":[");
            String separator = "";
            for (StackTraceElement frame : site.stack()) {
                if (frames-- == 0) {
                    break;
                }
                String file = frame.getFileName() == null ? "" : frame.getFileName();
                line.append(separator).append("{\"class\":").append(quoted(frame.getClassName()))
                        .append(",\"method\":").append(quoted(frame.getMethodName()))
                        .append(",\"file\":").append(quoted(file)).append(",\"line\":")
                        .append(frame.getLineNumber()).append('}');
                separator = ",";
            }
            sites.write(line.append("]}\n").toString());
        }
    }

    private void tell(IOException failure) {
        if (!failed) {
            System.err.println("allocations: " + path + " cannot be written: " + failure);
        }
        failed = true;
    }

    private static String quoted(String text) {
        StringBuilder json = new StringBuilder("\"");
        for (int i = 0; i < text.length(); ++i) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                json.append('\\').append(c);
            } else if (c < ' ' || Character.isSurrogate(c)) {
                json.append(String.format("\\u%04x", (int) c));
            } else {
                json.append(c);
            }
        }
        return json.append('"').toString();
    }
}
