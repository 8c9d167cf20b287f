import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.IntSupplier;

/**
 * Virtual threads that wait at all depths and allocate on their way back, frame by frame: through
 * recursion, lambdas, reflection, exceptions, many arguments, and after a collection. Argument:
 * threads a round, default 400.
 */
public class VirtualReturns {
    static volatile Object sink;

    static int plain(int left, int waits) throws Exception {
        int below = left == 0 ? pause(waits) : left % 7 == 3 ? lambda(left - 1, waits) : left % 7 == 5
                ? many(left - 1, waits, 1, 2L, 3.0, "4", '5', (byte) 6, 7, 8L, 9, 10) : plain(left - 1, waits);
        sink = new long[1 + left % 3];
        if (left % 5 == 1) below += pause(1);  // goes on from another place
        sink = new Object[left % 4];
        return below + 1;
    }

    static int many(int left, int waits, int a, long b, double c, String d, char e, byte f, int g, long h, int i, int j)
            throws Exception {
        int below = plain(left, waits);
        sink = new int[] {a, (int) b, (int) c, d.length(), e, f, g, (int) h, i, j};
        return below;
    }

    static int lambda(int left, int waits) throws Exception {
        Callable<Integer> call = () -> {
            int below = plain(left, waits);
            sink = new Object[2];
            return below;
        };
        IntSupplier catching = () -> {
            try {
                return call.call();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        };
        int below = catching.getAsInt();
        sink = new byte[3];
        return below;
    }

    static int throwing(int left) throws Exception {
        try {
            if (left == 0) {
                pause(2);
                throw new IllegalArgumentException();
            }
            return left % 4 == 2 ? (int) VirtualReturns.class.getDeclaredMethod("throwing", int.class).invoke(null, left - 1)
                    : throwing(left - 1);
        } catch (ReflectiveOperationException | IllegalArgumentException e) {
            sink = new char[left % 8];
            if (left % 3 == 0) return left;
            throw new IllegalArgumentException(e);
        }
    }

    static int pause(int waits) throws Exception {
        for (int i = 0; i < waits; i++) {
            sink = new Object();
            if (i % 2 == 0) Thread.sleep(1);
            else Thread.yield();
        }
        return waits;
    }

    public static void main(String[] args) throws Exception {
        int threads = args.length > 0 ? Integer.parseInt(args[0]) : 400;
        long sum = 0;
        for (int round = 0; round < 3; round++) {
            try (var executor = Executors.newVirtualThreadPerTaskExecutor()) {
                List<Future<Integer>> all = new ArrayList<>();
                for (int i = 0; i < threads; i++) {
                    int depth = i % 60, waits = 1 + i % 3;
                    all.add(executor.submit(() -> plain(depth, waits) + throwing(depth % 11)));
                    if (i % 100 == 50) System.gc();
                }
                for (Future<Integer> one : all) sum += one.get();
            }
        }
        System.out.println(sum);
    }
}
