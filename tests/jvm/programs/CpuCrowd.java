import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

/**
 * CpuCrowd THREADS MILLISECONDS: threads that compute until each has used so much CPU time, by its own
 * clock. Prints the name and the CPU milliseconds of each.
 */
public class CpuCrowd {
    static final ThreadMXBean CLOCK = ManagementFactory.getThreadMXBean();
    static volatile double sink;

    static long spin(long ns) {
        double x = 1;
        while (CLOCK.getCurrentThreadCpuTime() < ns) {
            for (int i = 0; i < 20_000; i++) {
                x += Math.sqrt(x);
            }
        }
        sink = x;
        return CLOCK.getCurrentThreadCpuTime();
    }

    public static void main(String[] args) throws Exception {
        Thread[] all = new Thread[Integer.parseInt(args[0])];
        long[] used = new long[all.length];
        long ns = Long.parseLong(args[1]) * 1_000_000;
        for (int i = 0; i < all.length; i++) {
            int number = i;
            all[i] = new Thread(() -> used[number] = spin(ns), "busy-" + i);
            all[i].start();
        }
        for (int i = 0; i < all.length; i++) {
            all[i].join();
            System.out.println(all[i].getName() + " " + used[i] / 1_000_000);
        }
    }
}
