import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;

/** Fills the young generation again and again, for each line of its input; prints collections. */
public class GcLoop {
    static Object sink;

    static long collections() {
        long count = 0;
        for (GarbageCollectorMXBean bean : ManagementFactory.getGarbageCollectorMXBeans()) {
            count += bean.getCollectionCount();
        }
        return count;
    }

    public static void main(String[] args) throws Exception {
        System.out.println("ready");
        for (int c; (c = System.in.read()) >= 0; ) {
            if (c != '\n') continue;
            long before = collections();
            for (int i = 0; i < 4_000_000; i++) sink = new byte[1000];
            System.out.println(collections() - before);
        }
    }
}
