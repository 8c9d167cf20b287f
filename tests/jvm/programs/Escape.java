import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Scanner;
import java.util.function.LongBinaryOperator;

/**
 * Loops whose objects never leave them ("chains" keeps its own): compiled with escape analysis they
 * allocate nothing. For
 * each line "LOOP ROUNDS ITERATIONS" on stdin runs a loop so many times and prints "BYTES NANOS":
 * bytes allocated in all rounds together, CPU time of the fastest round. 0 rounds are as many as it
 * takes until one allocates nothing, or a minute of them; BYTES are then those of the last round.
 */
public class Escape {
    record Point(long x, long y) {
        Point plus(Point other) { return new Point(x + other.x, y + other.y); }
    }

    static long objects(int iterations) {
        long sum = 0;
        for (int i = 0; i < iterations; i++) {
            Point p = new Point(i, sum & 7).plus(new Point(1, 2));
            sum += p.x ^ p.y;
        }
        return sum;
    }

    static long arrays(int iterations) {
        long sum = 0;
        for (int i = 0; i < iterations; i++) {
            int[] pair = {i, i + 1};
            long[] longs = new long[] {sum, i, 3};
            sum += pair[1] - pair[0] + (longs[0] ^ longs[1]) + longs[2];
        }
        return sum;
    }

    static long variable(int... values) { return values[0] + values[1] + values.length; }

    static long calls(int iterations) {
        long sum = 0;
        for (int i = 0; i < iterations; i++) {
            long seed = sum;
            LongBinaryOperator add = (a, b) -> a + b + seed;
            sum += add.applyAsLong(i, 3) & 0xFF;
            sum += variable(i, 2) + Optional.of("text").map(String::length).orElse(0);
        }
        return sum;
    }

    static final List<String> LIST = new ArrayList<>(List.of("a", "b", "c"));

    static long iterators(int iterations) {
        long sum = 0;
        for (int i = 0; i < iterations; i++) {
            for (String s : LIST) sum += s.length() + (i & 3);
        }
        return sum;
    }

    static final int[] FOUR = {1, 2, 3, 4};

    static long copies(int iterations) {
        long sum = 0;
        for (int i = 0; i < iterations; i++) {
            int[] copy = Arrays.copyOf(FOUR, 4);
            int[] clone = FOUR.clone();
            sum += copy[1] + clone[2] + i;
        }
        return sum;
    }

    static final String MARK = String.valueOf('k');
    static volatile String kept;

    /** Kept, all of them; but C2 makes one array and one String of such a chain, no StringBuilder. */
    static long chains(int iterations) {
        for (int i = 0; i < iterations; i++) kept = new StringBuilder().append(MARK).append(i & 7).toString();
        return iterations;
    }

    static long run(String loop, int iterations) {
        switch (loop) {
            case "chains": return chains(iterations);
            case "objects": return objects(iterations);
            case "arrays": return arrays(iterations);
            case "calls": return calls(iterations);
            case "iterators": return iterators(iterations);
            case "copies": return copies(iterations);
            default: throw new IllegalArgumentException(loop);
        }
    }

    public static void main(String[] args) {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        System.out.println("ready");
        Scanner in = new Scanner(System.in);
        while (in.hasNext()) {
            String loop = in.next();
            int rounds = in.nextInt();
            int iterations = in.nextInt();
            long deadline = System.nanoTime() + 60_000_000_000L;
            long best = Long.MAX_VALUE, bytes = 0, last = 1;
            for (int round = 0; rounds > 0 ? round < rounds
                    : last > 0 && System.nanoTime() < deadline; round++) {
                long before = threads.getCurrentThreadAllocatedBytes();
                long begin = threads.getCurrentThreadCpuTime();
                run(loop, iterations);
                best = Math.min(best, threads.getCurrentThreadCpuTime() - begin);
                last = threads.getCurrentThreadAllocatedBytes() - before;
                bytes = rounds > 0 ? bytes + last : last;
            }
            System.out.println(bytes + " " + best);
        }
    }
}
