import java.io.StringWriter;
import java.lang.management.ManagementFactory;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/**
 * Loads for bench/compare.py. Arguments: case, threads, rounds, allocations a round and thread.
 * Prints one line: the CPU nanoseconds of the whole process in each round, the nanoseconds by the
 * clock, and how many objects a round made (0: not known). A round of a hot loop is repeated until it
 * is long enough to be measured. "five" (bench/five_cases.py) runs once and prints nothing.
 */
public class Compare {
    static class Node { Object next; int value; }
    record Point(int x, int y) {}

    static volatile Object sink;
    static final int DEPTH = 20;

    interface Load { void run(int allocations) throws Exception; }

    static void small(int n) {
        for (int i = 0; i < n; i++) sink = new Node();
    }

    static void arrays(int n) {
        for (int i = 0; i < n; i += 4) {
            sink = new int[i & 15];
            sink = new Object[i & 7];
            sink = new byte[64];
            sink = new long[4];
        }
    }

    /** Objects, arrays, boxes, copies and lists: 5 of each. */
    static void mixed(int n) {
        long big = 1_000_000;
        int[] numbers = {3, 1, 2};
        for (int i = 0; i < n; i += 5) {
            sink = new Point(i, i);
            sink = new char[i & 31];
            sink = Long.valueOf(big + i);
            sink = Arrays.copyOf(numbers, 3);
            sink = new ArrayList<Object>(0);
        }
    }

    static void deeper(int depth, Load load, int n) throws Exception {
        if (depth == 0) load.run(n);
        else deeper(depth - 1, load, n);
    }

    /** n allocations of each kind: small, arrays, 16 to 40 frames deeper, of 4 threads, mixed. */
    static void five(int n) throws Exception {
        deeper(DEPTH, Compare::small, n);
        deeper(DEPTH, Compare::arrays, n);
        for (int depth = 16; depth < 41; depth++) deeper(depth, Compare::small, n / 25);
        onThreads(4, k -> deeper(DEPTH, Compare::small, k), n / 4);
        deeper(DEPTH, Compare::mixed, n);
    }

    static Connection database;

    static void h2(int rows) throws Exception {
        if (database == null) database = DriverManager.getConnection("jdbc:h2:mem:bench");
        try (Statement statement = database.createStatement()) {
            statement.execute("create table t(id int primary key, name varchar(40), n int)");
            try (PreparedStatement insert = database.prepareStatement("insert into t values (?, ?, ?)")) {
                for (int i = 0; i < rows; i++) {
                    insert.setInt(1, i);
                    insert.setString(2, "name " + i);
                    insert.setInt(3, i % 97);
                    insert.executeUpdate();
                }
            }
            long sum = 0;
            try (ResultSet rowsOf = statement.executeQuery("select n, count(*), max(name) from t group by n order by n")) {
                while (rowsOf.next()) sum += rowsOf.getLong(2);
            }
            if (sum != rows) throw new IllegalStateException("rows: " + sum);
            statement.execute("drop table t");
        }
    }

    static String[] sources;

    static void javac(int ignored) throws Exception {
        var compiler = javax.tools.ToolProvider.getSystemJavaCompiler();
        try (var files = compiler.getStandardFileManager(null, null, null)) {
            List<String> options = List.of("-nowarn", "-Xlint:none", "-proc:none", "-XDignore.symbol.file",
                    "--patch-module", "java.base=" + sources[0], "-d", sources[1]);
            boolean good = compiler.getTask(new StringWriter(), files, null, options, null,
                    files.getJavaFileObjects(Arrays.copyOfRange(sources, 2, sources.length))).call();
            if (!good) throw new IllegalStateException("the sources do not compile");
        }
    }

    static void onThreads(int threads, Load load, int n) throws Exception {
        if (threads == 1) {
            load.run(n);
            return;
        }
        CountDownLatch done = new CountDownLatch(threads);
        for (int i = 0; i < threads; i++) {
            new Thread(() -> {
                try {
                    load.run(n);
                } catch (Exception failure) {
                    throw new IllegalStateException(failure);
                } finally {
                    done.countDown();
                }
            }).start();
        }
        done.await();
    }

    public static void main(String[] args) throws Exception {
        int threads = Integer.parseInt(args[1]);
        int rounds = Integer.parseInt(args[2]);
        int n = Integer.parseInt(args[3]);
        sources = Arrays.copyOfRange(args, 4, args.length);
        if (args[0].equals("five")) {
            five(n);
            return;
        }
        Load load;
        switch (args[0]) {
            case "small": load = k -> deeper(DEPTH, Compare::small, k); break;
            case "arrays": load = k -> deeper(DEPTH, Compare::arrays, k); break;
            case "deep": load = k -> deeper(500, Compare::small, k); break;
            case "mixed": load = k -> deeper(DEPTH, Compare::mixed, k); break;
            case "h2": load = Compare::h2; break;
            case "javac": load = Compare::javac; break;
            default: throw new IllegalArgumentException(args[0]);
        }
        var os = (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        boolean known = !args[0].equals("h2") && !args[0].equals("javac");
        int repeats = 1;
        while (known) {  // until a round takes a quarter of a second: the CPU clock is coarse
            long begin = System.nanoTime();
            for (int i = 0; i < repeats; i++) onThreads(threads, load, n);
            if (System.nanoTime() - begin > 250_000_000L) break;
            repeats *= 2;
        }
        StringBuilder cpu = new StringBuilder();
        StringBuilder wall = new StringBuilder();
        for (int round = 0; round < rounds; round++) {
            long cpuBegin = os.getProcessCpuTime();
            long begin = System.nanoTime();
            for (int i = 0; i < repeats; i++) onThreads(threads, load, n);
            wall.append(' ').append(System.nanoTime() - begin);
            cpu.append(' ').append(os.getProcessCpuTime() - cpuBegin);
        }
        System.out.println("cpu" + cpu + " wall" + wall + " objects " + (known ? (long) repeats * threads * n : 0));
    }
}
