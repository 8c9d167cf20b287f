import java.util.concurrent.CountDownLatch;

/**
 * CpuShares MILLISECONDS [IDLE]: three methods that share the CPU time of one thread 70 / 20 / 10, by
 * the thread's own CPU clock, while IDLE other threads (none) wait. Prints how the time was really
 * shared, in thousandths, and the CPU time in milliseconds.
 */
public class CpuShares {
    static final java.lang.management.ThreadMXBean CLOCK =
        java.lang.management.ManagementFactory.getThreadMXBean();
    static volatile double sink;

    static long seventy(long ns) {
        return spin(ns);
    }

    static long twenty(long ns) {
        return spin(ns);
    }

    static long ten(long ns) {
        return spin(ns);
    }

    static long spin(long ns) {
        long begin = CLOCK.getCurrentThreadCpuTime();
        long now = begin;
        double x = 1;
        while (now - begin < ns) {
            for (int i = 0; i < 20_000; i++) {
                x += Math.sqrt(x);
            }
            now = CLOCK.getCurrentThreadCpuTime();
        }
        sink = x;
        return now - begin;
    }

    public static void main(String[] args) throws Exception {
        long end = Long.parseLong(args[0]) * 1_000_000;
        int idle = args.length > 1 ? Integer.parseInt(args[1]) : 0;
        CountDownLatch never = new CountDownLatch(1);
        CountDownLatch ready = new CountDownLatch(idle);
        for (int i = 0; i < idle; i++) {
            Thread thread = new Thread(null, () -> {
                ready.countDown();
                try {
                    never.await();
                } catch (InterruptedException e) {
                    return;
                }
            }, "idle-" + i, 64 << 10);
            thread.setDaemon(true);
            thread.start();
        }
        ready.await();
        long[] spent = new long[3];
        long all = 0;
        while (all < end) {
            spent[0] += seventy(7_000_000);
            spent[1] += twenty(2_000_000);
            spent[2] += ten(1_000_000);
            all = spent[0] + spent[1] + spent[2];
        }
        System.out.println(spent[0] * 1000 / all + " " + spent[1] * 1000 / all + " "
            + spent[2] * 1000 / all + " " + all / 1_000_000);
    }
}
