import java.lang.management.ManagementFactory;
import java.lang.management.MemoryUsage;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Scanner;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;

/** Does what a line on stdin says and answers with a line: a program for DDM servers to look at. */
public class DdmTarget {
    static class Mark { int n; }
    static class Kept { long a = 1, b = 2; }

    static volatile Object sink;
    static volatile boolean running = true;
    static final List<Object> kept = new ArrayList<>();
    static final Map<String, Thread> threads = new HashMap<>();
    static final Object held = new Object();

    static void marks(int count) {
        for (int i = 0; i < count; i++) sink = new Mark();  // line 23: where records must point to
    }

    static void start(String name, Runnable body) throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        Thread thread = new Thread(() -> { begun.countDown(); body.run(); }, name);
        thread.setDaemon(true);
        threads.put(name, thread);
        thread.start();
        begun.await();
    }

    static void quietly(java.util.concurrent.Callable<Void> body) {
        try {
            body.call();
        } catch (Exception ended) {
            // interrupted: the thread's end
        }
    }

    static void deep(int left) {
        if (left > 0) deep(left - 1); else LockSupport.park();
    }

    /** One thread in each state, named after it. */
    static void states() throws Exception {
        CountDownLatch locked = new CountDownLatch(1);
        start("holding", () -> {
            synchronized (held) {
                locked.countDown();
                LockSupport.park();
            }
        });
        locked.await();
        start("monitor", () -> { synchronized (held) { sink = null; } });
        start("sleeping", () -> quietly(() -> { Thread.sleep(1_000_000); return null; }));
        start("waiting", () -> quietly(() -> { Object o = new Object(); synchronized (o) { o.wait(); } return null; }));
        start("timed", () -> quietly(() -> { Object o = new Object(); synchronized (o) { o.wait(1_000_000); } return null; }));
        start("parked", LockSupport::park);
        start("busy", () -> { long n = 0; while (running) n++; sink = n; });
        start("deep", () -> deep(50));
        java.net.ServerSocket server = new java.net.ServerSocket(0);
        start("native", () -> quietly(() -> { server.accept(); return null; }));
        for (var wanted : Map.of("holding", Thread.State.WAITING, "monitor", Thread.State.BLOCKED,
                                 "sleeping", Thread.State.TIMED_WAITING, "waiting", Thread.State.WAITING,
                                 "timed", Thread.State.TIMED_WAITING, "parked", Thread.State.WAITING,
                                 "deep", Thread.State.WAITING).entrySet()) {
            while (threads.get(wanted.getKey()).getState() != wanted.getValue()) Thread.sleep(5);
        }
        StackTraceElement[] stack = {};
        while (stack.length == 0 || !stack[0].isNativeMethod()) {
            Thread.sleep(5);
            stack = threads.get("native").getStackTrace();
        }
    }

    /** Two ways at each level: 2^left sites. */
    static void paths(int left, int path) {
        if (left == 0) sink = new Kept();
        else if ((path & 1) == 0) paths(left - 1, path >> 1);
        else paths(left - 1, path >> 1);
    }

    static void deepMarks(int left, int count) {
        if (left > 0) deepMarks(left - 1, count); else marks(count);
    }

    static String usage() {
        MemoryUsage heap = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage();
        Runtime runtime = Runtime.getRuntime();  // knows better than G1's bean what is used
        StringBuilder line = new StringBuilder("usage heap " + heap.getMax() + " " + heap.getCommitted() + " "
            + (runtime.totalMemory() - runtime.freeMemory()));
        for (var pool : ManagementFactory.getMemoryPoolMXBeans()) {
            MemoryUsage u = pool.getUsage();
            line.append(" | ").append(pool.getName().replace(' ', '_')).append(' ').append(u.getMax())
                .append(' ').append(u.getCommitted()).append(' ').append(u.getUsed());
        }
        return line.toString();
    }

    static long collections() {
        return ManagementFactory.getGarbageCollectorMXBeans().stream().mapToLong(b -> b.getCollectionCount()).sum();
    }

    public static void main(String[] args) throws Exception {
        Scanner in = new Scanner(System.in);
        System.out.println("ready");
        while (in.hasNextLine()) {
            String[] words = in.nextLine().split(" ");
            int n = words.length > 1 && words[1].matches("\\d+") ? Integer.parseInt(words[1]) : 0;
            String answer = "done";
            switch (words[0]) {
                case "marks": marks(n); break;
                case "lockedmarks":  // with what the VM's own tools lock to learn where jdwp listens
                    synchronized (Class.forName("jdk.internal.vm.VMSupport")) { marks(n); }
                    break;
                case "paths": for (int i = 0; i < 1 << n; i++) paths(n, i); break;
                case "deepmarks": deepMarks(20, n); break;
                case "keep": for (int i = 0; i < n; i++) kept.add(new Kept()); break;
                case "keepbytes": for (int i = 0; i < n; i++) kept.add(new byte[(1 << 20) - 64]); break;
                case "forget": kept.clear(); break;
                case "gc": System.gc(); break;
                case "usage": answer = usage(); break;
                case "collections": answer = "" + collections(); break;
                case "states": states(); break;
                case "start": start(words[1], LockSupport::park); break;
                case "end": {
                    Thread thread = threads.remove(words[1]);
                    LockSupport.unpark(thread);
                    thread.join();
                    break;
                }
                case "rename": threads.get(words[1]).setName(words[2]); break;
                case "many": for (int i = 0; i < n; i++) start("many-" + i, LockSupport::park); break;
                case "churn":
                    for (int i = 0; i < n; i++) {
                        Thread thread = new Thread(() -> marks(1), "short-" + i);
                        thread.start();
                        thread.join();
                    }
                    break;
                case "hook": Runtime.getRuntime().addShutdownHook(new Thread(() -> System.out.println("hook"))); break;
                case "badhook": Runtime.getRuntime().addShutdownHook(new Thread(LockSupport::park)); break;
                case "garbage": {  // n collections a second, until the next line
                    start("garbage", () -> { while (running) sink = new byte[1 << 12]; });
                    break;
                }
                case "exit": return;
                default: throw new IllegalArgumentException(words[0]);
            }
            System.out.println(answer);
        }
    }
}
