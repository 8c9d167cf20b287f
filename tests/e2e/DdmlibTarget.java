import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryUsage;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;

/**
 * The program that DdmlibCheck looks at. Reads commands from stdin, one a line; answers each with
 * what Java itself says, then a line "end".
 */
public class DdmlibTarget {
    static final class Marker {
        long a;
        int b;
    }

    static final class Kept {
        int number;
    }

    static final int MARKERS = 300;
    static final int ARRAYS = 7;
    static final int ARRAY_LENGTH = 1000;
    static final int KEPT = 37;

    static volatile Object sink;
    static volatile boolean spinning = true;
    static final List<Kept> kept = new ArrayList<>();
    static final Map<String, Thread> threads = new HashMap<>();
    static final Object lock = new Object();
    static int markerLine;
    static int arrayLine;

    public static void main(String[] args) throws Exception {
        for (int i = 0; i < KEPT; i++) {
            kept.add(new Kept());
        }
        start("parked", true, DdmlibTarget::parkDeep);
        start("sleeping", false, () -> Thread.sleep(1_000_000));
        start("spinning", true, () -> {
            while (spinning) {
                Thread.onSpinWait();
            }
        });
        CountDownLatch held = new CountDownLatch(1);
        start("holding", true, () -> {
            synchronized (lock) {
                held.countDown();
                LockSupport.park();
            }
        });
        held.await();
        start("blocked", true, () -> {
            synchronized (lock) {
                sink = null;
            }
        });
        Object condition = new Object();
        start("waiting", true, () -> {
            synchronized (condition) {
                condition.wait();
            }
        });
        for (var wanted : Map.of("parked", Thread.State.WAITING, "holding", Thread.State.WAITING,
                "sleeping", Thread.State.TIMED_WAITING, "blocked", Thread.State.BLOCKED,
                "waiting", Thread.State.WAITING).entrySet()) {
            while (threads.get(wanted.getKey()).getState() != wanted.getValue()) {
                Thread.sleep(5);
            }
        }
        long spinner = threads.get("spinning").getId();
        while (ManagementFactory.getThreadMXBean().getThreadUserTime(spinner) < 50_000_000) {
            Thread.sleep(5);
        }
        System.out.println("ready");

        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            answer(line.split(" "));
            System.out.println("end");
        }
        System.exit(0);
    }

    private static void answer(String[] words) throws Exception {
        switch (words[0]) {
            case "threads" -> Thread.getAllStackTraces().keySet().forEach(thread ->
                    System.out.println(thread.getName() + "\t" + thread.isDaemon()));
            case "stack" -> {
                for (StackTraceElement frame : threads.get(words[1]).getStackTrace()) {
                    System.out.println(frame.getClassName() + "\t" + frame.getMethodName() + "\t"
                            + frame.getFileName() + "\t" + frame.getLineNumber());
                }
            }
            case "start" -> start(words[1], true, DdmlibTarget::parkDeep);
            case "rename" -> threads.get(words[1]).setName(words[2]);
            case "stop" -> {
                threads.get(words[1]).interrupt();
                threads.get(words[1]).join();
            }
            case "memory" -> {
                MemoryUsage heap = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage();
                // G1's bean knows of young objects only from the last collection; Runtime always.
                Runtime runtime = Runtime.getRuntime();
                System.out.println(runtime.totalMemory() - runtime.freeMemory() + "\t" + heap.getCommitted() + "\t" + heap.getMax());
            }
            case "collections" -> System.out.println(ManagementFactory.getGarbageCollectorMXBeans()
                    .stream().mapToLong(GarbageCollectorMXBean::getCollectionCount).sum());
            case "allocate" -> {
                CountDownLatch done = new CountDownLatch(1);
                start(words[1], true, () -> {
                    allocate();
                    done.countDown();
                    parkDeep();
                });
                done.await();
                System.out.println(markerLine + "\t" + arrayLine);
            }
            default -> throw new IOException("no such command: " + words[0]);
        }
    }

    private static void allocate() {
        makeMarkers();
        makeArrays();
    }

    private static void makeMarkers() {
        for (int i = 0; i < MARKERS; i++) { markerLine = line(); sink = new Marker(); }
    }

    private static void makeArrays() {
        for (int i = 0; i < ARRAYS; i++) { arrayLine = line(); sink = new long[ARRAY_LENGTH]; }
    }

    /** The line that the caller is at. */
    private static int line() {
        return StackWalker.getInstance().walk(frames ->
                frames.skip(1).findFirst().orElseThrow().getLineNumber());
    }

    private static void parkDeep() {
        parkDeeper();
    }

    private static void parkDeeper() {
        while (!Thread.currentThread().isInterrupted()) {
            LockSupport.park();
        }
    }

    private interface Body {
        void run() throws InterruptedException;
    }

    private static void start(String name, boolean daemon, Body body) {
        Thread thread = new Thread(() -> {
            try {
                body.run();
            } catch (InterruptedException ended) {
                return;
            }
        }, name);
        thread.setDaemon(daemon);
        threads.put(name, thread);
        thread.start();
    }
}
