import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

/** Threads one after the other, each of which works for a while; prints the CPU of each. */
public class CpuTurns {
    static volatile long sink;

    static void first() {
        work();
    }

    static void second() {
        work();
    }

    static void third() {
        work();
    }

    private static void work() {
        ThreadMXBean clock = ManagementFactory.getThreadMXBean();
        for (long end = clock.getCurrentThreadCpuTime() + 200_000_000; clock.getCurrentThreadCpuTime() < end;) {
            for (int i = 0; i < 100_000; i++) sink += i;
        }
    }

    private static void inThread(String name, Runnable method) throws InterruptedException {
        ThreadMXBean clock = ManagementFactory.getThreadMXBean();
        Thread thread = new Thread(() -> {
            long begin = clock.getCurrentThreadCpuTime();
            method.run();
            System.out.println(name + " " + (clock.getCurrentThreadCpuTime() - begin));
        });
        thread.start();
        thread.join();
    }

    public static void main(String[] args) throws InterruptedException {
        inThread("first", CpuTurns::first);
        inThread("second", CpuTurns::second);
        inThread("third", CpuTurns::third);
    }
}
