import java.lang.management.ManagementFactory;

/**
 * A fixed amount of work that collects garbage some 50 times a second: allocates, and computes
 * between allocations. Says how long it took, what the CPU did and how often it was collected.
 */
public class GcLoad {
    static volatile Object sink;
    static volatile int result;

    public static void main(String[] args) throws Exception {
        long megabytes = Long.parseLong(args[0]);
        int rounds = Integer.parseInt(args[1]);
        System.out.println("ready");
        System.in.read();
        long begin = System.nanoTime();
        int x = 1;
        for (long i = 0; i < megabytes << 8; i++) {  // 4 KiB each
            sink = new byte[4080];
            for (int k = 0; k < rounds; k++) x = x * 31 + k;
        }
        result = x;
        long nanos = System.nanoTime() - begin;
        long collections = ManagementFactory.getGarbageCollectorMXBeans().stream()
            .mapToLong(bean -> bean.getCollectionCount()).sum();
        System.out.println(nanos / 1_000_000 + " " + collections);
        System.in.read();  // the agent's threads are looked at
    }
}
