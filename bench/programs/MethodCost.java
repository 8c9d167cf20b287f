// Calls of one small method: prints the CPU nanoseconds of a call, one line a round.
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

public class MethodCost {
    static int sink;

    static int work(int i) { return sink += i; }

    static int round(int calls) {
        int sum = 0;
        for (int i = 0; i < calls; i++) sum += work(i);
        return sum;
    }

    public static void main(String[] args) {
        int calls = Integer.parseInt(args[0]);
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        for (int i = 0; i < 8; i++) {
            long begin = threads.getCurrentThreadCpuTime();
            round(calls);
            System.out.println((threads.getCurrentThreadCpuTime() - begin) / (double) calls);
        }
    }
}
