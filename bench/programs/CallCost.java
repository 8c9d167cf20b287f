// Calls of one small method: prints the CPU nanoseconds of a call and the bytes allocated, one line a
// round. Arguments: calls a round; "virtual": in a virtual thread, and the nanoseconds are wall time.
import java.lang.management.ManagementFactory;

public class CallCost {
    static int sink;

    static int work(int i) { return sink += i; }

    static int round(int calls) {
        int sum = 0;
        for (int i = 0; i < calls; i++) sum += work(i);
        return sum;
    }

    static void rounds(int calls, boolean virtual) {
        com.sun.management.ThreadMXBean threads =
            (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        long self = Thread.currentThread().getId();
        for (int i = 0; i < 10; i++) {
            long bytes = virtual ? 0 : threads.getThreadAllocatedBytes(self);
            long begin = virtual ? System.nanoTime() : threads.getCurrentThreadCpuTime();
            round(calls);
            long end = virtual ? System.nanoTime() : threads.getCurrentThreadCpuTime();
            System.out.println((end - begin) / (double) calls + " "
                               + (virtual ? 0 : threads.getThreadAllocatedBytes(self) - bytes));
        }
    }

    public static void main(String[] args) throws Exception {
        int calls = Integer.parseInt(args[0]);
        boolean virtual = args[1].equals("virtual");
        Runnable rounds = () -> rounds(calls, virtual);
        if (!virtual) {
            rounds.run();
            return;
        }
        Thread thread = (Thread) Thread.class.getMethod("startVirtualThread", Runnable.class)
            .invoke(null, rounds);
        thread.join();
    }
}
