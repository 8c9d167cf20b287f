import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.Scanner;

/**
 * A loop whose four objects an iteration never leave it: compiled with escape analysis it allocates
 * nothing. For each line on stdin runs the loop until it allocates nothing or has run for as many
 * seconds as the line says, then prints "BYTES b ROUNDS n NANOS t": bytes an iteration of the last
 * round, rounds run, CPU time of the last round in nanoseconds. An argument is the number of
 * iterations a round.
 */
public class Escape {
    static final class Point {
        final long x, y;
        Point(long x, long y) { this.x = x; this.y = y; }
        Point plus(Point other) { return new Point(x + other.x, y + other.y); }
    }

    static long run(int iterations) {
        long sum = 0;
        for (int i = 0; i < iterations; i++) {
            Point p = new Point(i, sum & 7).plus(new Point(1, 2));
            int[] pair = {i, i + 1};
            sum += p.x ^ p.y + pair[1] - pair[0];
        }
        return sum;
    }

    public static void main(String[] args) {
        int iterations = args.length > 0 ? Integer.parseInt(args[0]) : 1_000_000;
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long expected = run(iterations);
        System.out.println("ready");
        Scanner in = new Scanner(System.in);
        while (in.hasNextInt()) {
            long deadline = System.nanoTime() + in.nextInt() * 1_000_000_000L;
            int rounds = 0;
            long bytes, nanos;
            do {
                long before = threads.getCurrentThreadAllocatedBytes();
                long begin = threads.getCurrentThreadCpuTime();
                if (run(iterations) != expected) throw new AssertionError("a wrong sum");
                nanos = threads.getCurrentThreadCpuTime() - begin;
                bytes = threads.getCurrentThreadAllocatedBytes() - before;
                rounds++;
            } while (bytes >= iterations / 100 && System.nanoTime() < deadline);
            System.out.println("BYTES " + (double) bytes / iterations + " ROUNDS " + rounds
                    + " NANOS " + nanos);
        }
    }
}
