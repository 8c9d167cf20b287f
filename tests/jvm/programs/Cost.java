import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

/**
 * CPU time of one allocation, at a stack depth of some twenty frames. Arguments: objects a round,
 * rounds, and the depth if it is another one. Prints the nanoseconds an object costs in the best round.
 */
public class Cost {
    static class Node { Object next; int value; }
    static volatile Object sink;

    static void allocate(int n) {
        for (int i = 0; i < n; i++) sink = new Node();
    }

    static void deeper(int depth, int n) {
        if (depth == 0) {
            allocate(n);
        } else {
            deeper(depth - 1, n);
        }
    }

    public static void main(String[] args) {
        int n = Integer.parseInt(args[0]);
        int rounds = Integer.parseInt(args[1]);
        int depth = args.length > 2 ? Integer.parseInt(args[2]) : 20;
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long best = Long.MAX_VALUE;
        for (int i = 0; i < rounds; i++) {
            long begin = threads.getCurrentThreadCpuTime();
            deeper(depth, n);
            best = Math.min(best, threads.getCurrentThreadCpuTime() - begin);
        }
        System.out.println(best / (double) n);
    }
}
