import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Threads that use some milliseconds of CPU each, one after another on two lanes. Arguments: how many,
 * milliseconds of each. Prints the milliseconds of CPU that they used in all.
 */
public class ShortLived {
    static volatile long sink;

    public static void main(String[] args) throws Exception {
        int count = Integer.parseInt(args[0]);
        long each = Long.parseLong(args[1]) * 1_000_000;
        ThreadMXBean clocks = ManagementFactory.getThreadMXBean();
        AtomicLong used = new AtomicLong();
        Runnable work = () -> {
            while (clocks.getCurrentThreadCpuTime() < each) {
                for (int i = 0; i < 1000; i++) sink += i;
            }
            used.addAndGet(clocks.getCurrentThreadCpuTime());
        };
        for (int i = 0; i < count; i += 2) {
            Thread one = new Thread(work), other = new Thread(work);
            one.start();
            other.start();
            one.join();
            other.join();
        }
        System.out.println(used.get() / 1_000_000);
    }
}
