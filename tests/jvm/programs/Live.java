import java.lang.management.ManagementFactory;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.ArrayList;
import java.util.List;
import java.util.Scanner;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;

/** Does what a line on stdin says and answers with "done": keeps and drops known objects. */
public class Live {
    static class Node { Node next; }
    static class Half { long a, b; int c; }  // 32 bytes, however large headers are
    public static class Dropped { int value; public Dropped() { } }
    static class Late { final Object inner; Late() { inner = new short[12]; } }

    static Node nodes;
    static final List<Object> kept = new ArrayList<>();
    static volatile Object sink;

    static void keepNodes(int n) {
        for (int i = 0; i < n; i++) {
            Node node = new Node();
            node.next = nodes;
            nodes = node;
        }
    }

    static void keepHalf(int n) {
        for (int i = 0; i < n; i++) {
            Half half = new Half();
            if (i % 2 == 0) kept.add(half);
        }
    }

    static void keepArrays(int n) {
        for (int i = 0; i < n; i++) kept.add(new char[i % 50]);
    }

    static void keepLate(int n) {
        for (int i = 0; i < n; i++) kept.add(new Late());
    }

    static void drop(int n) {
        for (int i = 0; i < n; i++) sink = new Dropped();
        sink = null;
    }

    /** Each thread keeps n objects; then the threads end. */
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
                List<Object> mine = new ArrayList<>();
                for (int k = 0; k < n; k++) mine.add(new int[5]);
                synchronized (kept) { kept.addAll(mine); }
            });
            threads[i].start();
        }
        start.countDown();
        for (Thread thread : threads) thread.join();
    }

    /** n objects, each of a class of its own loader, and all of these gone again but the last. */
    static void loaders(int n) throws Exception {
        URL[] where = {Live.class.getProtectionDomain().getCodeSource().getLocation()};
        ClassLoader platform = ClassLoader.getPlatformClassLoader();
        Object last = null;
        for (int i = 0; i < n; i++) {
            try (URLClassLoader loader = new URLClassLoader(where, platform)) {
                last = loader.loadClass("Live$Dropped").getDeclaredConstructor().newInstance();
            }
        }
        kept.add(last);
    }

    static void left(int path, int depth, int n) { atStack(path >> 1, depth - 1, n); }
    static void right(int path, int depth, int n) { atStack(path >> 1, depth - 1, n); }

    /** Keeps and drops n objects of each kind, at a stack of its own for each path. */
    static void atStack(int path, int depth, int n) {
        if (depth > 0) {
            if ((path & 1) == 0) left(path, depth, n); else right(path, depth, n);
            return;
        }
        keepNodes(n);
        drop(n);
    }

    static void stacks(int n) {
        for (int path = 0; path < n; path++) atStack(path, 14, 3);
    }

    static final List<Thread> busy = new ArrayList<>();
    static volatile boolean resting;

    /** n threads keep their last thousand objects, and start others that end, until they may rest. */
    static void load(int n) {
        resting = false;
        for (int i = 0; i < n; i++) {
            Thread thread = new Thread(() -> {
                Object[] mine = new Object[1000];
                for (int k = 0; !resting; k++) {
                    mine[k % mine.length] = k % 3 == 0 ? new Half() : new byte[k % 200];
                    if (k % 200 != 0) continue;
                    LockSupport.parkNanos(200_000);
                    if (k % 20_000 == 0) new Thread(() -> drop(50)).start();
                }
            });
            thread.setDaemon(true);
            busy.add(thread);
            thread.start();
        }
    }

    static void rest() throws InterruptedException {
        resting = true;
        for (Thread thread : busy) thread.join();
        busy.clear();
    }

    public static void main(String[] args) throws Exception {
        Scanner in = new Scanner(System.in);
        System.out.println("ready");
        while (in.hasNextLine()) {
            String[] words = in.nextLine().split(" ");
            int n = words.length > 1 ? Integer.parseInt(words[1]) : 0;
            switch (words[0]) {
                case "nodes" -> keepNodes(n);
                case "half" -> keepHalf(n);
                case "arrays" -> keepArrays(n);
                case "late" -> keepLate(n);
                case "drop" -> drop(n);
                case "threads" -> threads(n);
                case "stacks" -> stacks(n);
                case "loaders" -> loaders(n);
                case "forget" -> { nodes = null; kept.clear(); ((ArrayList<?>) kept).trimToSize(); sink = null; }
                case "gc" -> System.gc();
                case "load" -> load(n);
                case "rest" -> rest();
                case "unloaded" -> {
                    System.out.println(ManagementFactory.getClassLoadingMXBean().getUnloadedClassCount());
                    continue;
                }
                default -> throw new IllegalArgumentException(words[0]);
            }
            System.out.println("done");
        }
    }
}
