// Calls of one small method: prints the CPU nanoseconds of a call and the bytes allocated, one line a
// round.
import java.lang.management.ManagementFactory;

public class ProbeCost {
    static int sink;

    static int work(int i) { return sink += i; }

    static int round(int calls) {
        int sum = 0;
        for (int i = 0; i < calls; i++) sum += work(i);
        return sum;
    }

    public static void main(String[] args) {
        int calls = Integer.parseInt(args[0]);
        com.sun.management.ThreadMXBean threads =
            (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        long self = Thread.currentThread().getId();
        for (int i = 0; i < 10; i++) {
            long bytes = threads.getThreadAllocatedBytes(self);
            long begin = threads.getCurrentThreadCpuTime();
            round(calls);
            double ns = (threads.getCurrentThreadCpuTime() - begin) / (double) calls;
            System.out.println(ns + " " + (threads.getThreadAllocatedBytes(self) - bytes));
        }
    }
}
