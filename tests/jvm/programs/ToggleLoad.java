import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Four threads that allocate in every way, load classes and throw, and check every result, until a
 * line (or the end of input) comes on stdin. Prints "ready", at the end "DONE" or what went wrong.
 */
public class ToggleLoad {
    static volatile boolean stop;
    static volatile Throwable failure;
    static volatile Object sink;

    record Point(int x, Object y) { }

    static class Item implements Cloneable, Comparable<Item> {
        int[] values;
        Item(int n) { values = new int[] {n, n + 1}; }
        public Item clone() {
            try {
                Item copy = (Item) super.clone();
                copy.values = values.clone();
                return copy;
            } catch (CloneNotSupportedException impossible) {
                throw new AssertionError(impossible);
            }
        }
        public int compareTo(Item other) { return Integer.compare(values[0], other.values[0]); }
    }

    static class Bad extends RuntimeException {
        final Object detail;
        Bad(int n) {
            super("bad " + n);
            detail = new long[n & 15];
            if ((n & 1) == 0) throw new IllegalArgumentException("even " + n);
        }
    }

    /** Loaded again and again, by loaders of their own. */
    public static class Plugin implements Supplier<Object[][]> {
        static final Object[] SHARED = {new Object(), "shared"};
        public Object[][] get() { return new Object[][] {SHARED.clone(), {this}}; }
    }

    static class Loader extends ClassLoader {
        Loader() { super(ToggleLoad.class.getClassLoader()); }
        @Override protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!name.equals("ToggleLoad$Plugin")) return super.loadClass(name, resolve);
            try (InputStream in = ToggleLoad.class.getResourceAsStream(name + ".class")) {
                byte[] bytes = in.readAllBytes();
                return defineClass(name, bytes, 0, bytes.length);
            } catch (IOException e) {
                throw new ClassNotFoundException(name, e);
            }
        }
    }

    static void check(boolean good, String what) {
        if (!good) throw new AssertionError(what);
    }

    static void round(int n) throws Exception {
        List<Item> items = new ArrayList<>();
        for (int i = 0; i < 50; i++) items.add(new Item((n * 31 + i) % 100));
        Item[] sorted = items.toArray(new Item[0]);
        Arrays.sort(sorted);
        for (int i = 1; i < sorted.length; i++) check(sorted[i - 1].compareTo(sorted[i]) <= 0, "sort");
        Item copy = sorted[0].clone();
        check(copy.values != sorted[0].values && Arrays.equals(copy.values, sorted[0].values), "clone");

        Map<String, Point> map = new HashMap<>();
        for (int i = 0; i < 20; i++) map.put("key" + i + "/" + n, new Point(i, i % 2 == 0 ? null : "" + i));
        check(map.get("key7/" + n).equals(new Point(7, "7")), "map");
        check(IntStream.range(0, 20).mapToObj(i -> "s" + i).collect(Collectors.joining(",")).length() == 69, "join");

        int[][][] cube = new int[3][4][];
        check(cube[2].length == 4 && cube[2][3] == null, "multianewarray");
        IntFunction<String[]> maker = String[]::new;
        check(maker.apply(n & 7).length == (n & 7), "array reference");
        check(((long[][]) Array.newInstance(long.class, 2, 3))[1].length == 3, "newInstance");
        check(Arrays.copyOfRange(sorted, 1, 3).length == 2, "copyOfRange");
        Constructor<Item> constructor = Item.class.getDeclaredConstructor(int.class);
        check(constructor.newInstance(n).values[1] == n + 1, "reflection");
        try {
            throw new Bad(n);
        } catch (IllegalArgumentException e) {
            check(n % 2 == 0 && e.getMessage().equals("even " + n), "thrown in the constructor");
        } catch (Bad e) {
            check(n % 2 != 0 && ((long[]) e.detail).length == (n & 15), "thrown");
        }
        try {
            sink = sorted[n + 1000];
            throw new AssertionError("no exception");
        } catch (ArrayIndexOutOfBoundsException expected) {
            StackTraceElement[] trace = expected.getStackTrace();  // C2's own exception has none
            check(trace.length == 0 || trace[0].getMethodName().equals("round"), "stack trace");
        }
        if (n % 20 == 0) {
            Supplier<?> plugin = (Supplier<?>) new Loader().loadClass("ToggleLoad$Plugin")
                    .getDeclaredConstructor().newInstance();
            Object[][] made = (Object[][]) plugin.get();
            check(made[0][1].equals("shared") && made[1][0] == plugin, "plugin");
        }
    }

    public static void main(String[] args) throws Exception {
        Thread[] threads = new Thread[4];
        long[] rounds = new long[threads.length];
        for (int t = 0; t < threads.length; t++) {
            int number = t;
            threads[t] = new Thread(() -> {
                try {
                    for (int n = number; !stop; n = (n + 1) & 0xFFFFF) {
                        round(n);
                        rounds[number]++;
                    }
                } catch (Throwable e) {
                    failure = e;
                }
            }, "load-" + t);
            threads[t].start();
        }
        System.out.println("ready");
        System.in.read();
        stop = true;
        for (Thread thread : threads) thread.join();
        if (failure != null) {
            failure.printStackTrace(System.out);
            System.exit(1);
        }
        for (long done : rounds) check(done > 0, "a thread did nothing");
        System.out.println("DONE");
    }
}
