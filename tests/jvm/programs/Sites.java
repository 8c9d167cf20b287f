import java.lang.reflect.Array;
import java.util.concurrent.CountDownLatch;

/**
 * Allocates known numbers of objects at known sites. Arguments: what (see main), how often. Prints
 * what it made: "class method count bytes", the method being the one that allocates. With a third
 * argument it then says "made" and waits for the end of its input.
 */
public class Sites {
    static volatile Object sink;

    static class Leaf { int value; }
    static class Elem { }
    static class Base { long x; Base() { sink = this; } }
    static class Chain extends Base {
        final Object leaf;
        Chain() { super(); leaf = new Leaf(); }
    }
    static class Longer extends Chain { Longer() { super(); } }
    static class Copied implements Cloneable {
        int value;
        Object copy() throws CloneNotSupportedException { return super.clone(); }
    }
    static class Made { int value; public Made() { } }

    static void made(String type, String method, long count, long each) {
        System.out.println(type + " " + method + " " + count + " " + count * each);
    }

    static void kinds(int n) throws Exception {
        Copied original = new Copied();
        var constructor = Made.class.getConstructor();
        for (int i = 0; i < n; i++) {
            sink = new Leaf();
            sink = new short[100];
            sink = new Leaf[10];
            sink = original.copy();
            sink = constructor.newInstance();
            sink = Array.newInstance(Elem.class, 10);
            sink = new char[3][5];
        }
        made("Sites$Leaf", "kinds", n, 16);
        made("short[]", "kinds", n, Sizes.array(200));
        made("Sites$Leaf[]", "kinds", n, Sizes.array(40));
        made("Sites$Copied", "*", n + 1, 16);  // clone() itself, or who calls it
        made("Sites$Made", "*", n, 16);
        made("Sites$Elem[]", "*", n, Sizes.array(40));
        made("char[][]", "kinds", n, Sizes.array(12));
        made("char[]", "kinds", 3L * n, Sizes.array(10));
    }

    /** Keeps each third one; its line has what was kept. */
    static void live(int n) {
        Leaf[] leaves = new Leaf[n];
        for (int i = 0; i < 3 * n; i++) leaves[i / 3] = new Leaf();
        for (int i = 0; i < n; i++) sink = new Copied();
        sink = leaves;
        System.gc();
        made("Sites$Leaf", "live", n, 16);
        made("Sites$Leaf[]", "live", 1, Sizes.array(4L * n));
        made("Sites$Copied", "live", 0, 0);
    }

    static class Holder { Object leaves, bytes, longs; }
    static Holder kept;

    static void heap(int n) {
        kept = new Holder();
        Leaf[] leaves = new Leaf[n];
        for (int i = 0; i < n; i++) leaves[i] = new Leaf();
        kept.leaves = leaves;
        kept.bytes = new byte[7][3];
        kept.longs = new long[5][3];
        made("Sites$Leaf", "heap", n, 16);
        made("Sites$Holder", "heap", 1, Sizes.object(12));
    }

    static void leaves(int n) {
        for (int i = 0; i < n; i++) sink = new Leaf();
    }

    static void threads(int n) throws InterruptedException {
        Thread[] threads = new Thread[4];
        CountDownLatch start = new CountDownLatch(1);
        for (int i = 0; i < threads.length; i++) {
            threads[i] = new Thread(() -> {
                try {
                    start.await();
                } catch (InterruptedException e) {
                    return;
                }
                leaves(n);
            });
            threads[i].start();
        }
        start.countDown();
        for (Thread thread : threads) thread.join();
        made("Sites$Leaf", "leaves", 4L * n, 16);
    }

    static void deeper(int depth, int n) {
        for (int i = 0; i < n; i++) sink = new Leaf();
        if (depth > 1) deeper(depth - 1, n);
    }

    static void deep(int n) {
        deeper(100, n);
        made("Sites$Leaf", "deeper", 100L * n, 16);
    }

    static void deepest(int n) {
        deeper(2000, n);
        made("Sites$Leaf", "deeper", 2000L * n, 16);
    }

    static class Cold { int value; }
    static class Hot { int value; }

    /** The path's bits are the way through these lines: each path is a stack of its own. */
    static Object way(int path, int left, boolean hot) {
        if (left == 0) return hot ? new Hot() : new Cold();
        if ((path & 1) == 0) return way(path >> 1, left - 1, hot);
        return way(path >> 1, left - 1, hot);
    }

    /** 60,000 stacks that come up once each, then 50 that come up n times each. */
    static void hotAfterCold(int n) {
        Object[] kept = new Object[20_000];
        for (int i = 0; i < 60_000; i++) {
            Object made = way(i, 20, false);
            kept[i / 3] = made;
        }
        for (int i = 0; i < n; i++) {
            for (int path = 0; path < 50; path++) {
                Object made = way(path, 40, true);
                if (i % 2 == 0) sink = made; else kept[path] = made;
            }
        }
        sink = kept;
        System.gc();
        made("Sites$Cold", "way", 60_000, 16);
        made("Sites$Hot", "way", 50L * n, 16);
    }

    static void constructors(int n) {
        for (int i = 0; i < n; i++) sink = new Longer();
        made("Sites$Longer", "constructors", n, 24);
        made("Sites$Leaf", "<init>", n, 16);
    }

    static void big(int n) {
        for (int i = 0; i < n; i++) sink = new long[(64 << 20) / 8 - 2];
        made("long[]", "big", n, 64 << 20);
    }

    public static void main(String[] args) throws Exception {
        int n = Integer.parseInt(args[1]);
        switch (args[0]) {
            case "kinds" -> kinds(n);
            case "threads" -> threads(n);
            case "deep" -> deep(n);
            case "deepest" -> deepest(n);
            case "constructors" -> constructors(n);
            case "big" -> big(n);
            case "heap" -> heap(n);
            case "live" -> live(n);
            case "hotAfterCold" -> hotAfterCold(n);
            default -> throw new IllegalArgumentException(args[0]);
        }
        if (args.length > 2) {
            System.out.println("made");
            while (System.in.read() >= 0) { }
        }
    }
}
