import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * WallTurns SECONDS THREADS LONGER SHORTER...: for each pair of milliseconds, THREADS threads named
 * "LONGER-SHORTER" wait by turns in longer() and in shorter(), for so many seconds, each at another
 * point of its turn than the others. Prints for each
 * pair "LONGER-SHORTER NANOS NANOS", how long they were in each of both.
 */
public class WallTurns {
    static void longer(long ms) throws InterruptedException {
        Thread.sleep(ms);
    }

    static void shorter(long ms) {
        LockSupport.parkNanos(ms * 1_000_000);
    }

    static void turns(long end, long first, long longer, long shorter, AtomicLong inLonger,
                      AtomicLong inShorter) {
        try {
            Thread.sleep(first);
            for (long before = System.nanoTime(); before < end; ) {
                longer(longer);
                long between = System.nanoTime();
                shorter(shorter);
                long after = System.nanoTime();
                inLonger.addAndGet(between - before);
                inShorter.addAndGet(after - between);
                before = after;
            }
        } catch (InterruptedException nobodyInterrupts) {
            throw new AssertionError(nobodyInterrupts);
        }
    }

    public static void main(String[] args) throws Exception {
        int threads = Integer.parseInt(args[1]), pairs = (args.length - 2) / 2;
        long end = System.nanoTime() + Long.parseLong(args[0]) * 1_000_000_000;
        AtomicLong[] sums = new AtomicLong[2 * pairs];
        for (int i = 0; i < sums.length; i++) sums[i] = new AtomicLong();
        Thread[] all = new Thread[pairs * threads];
        for (int i = 0; i < all.length; i++) {
            int pair = i / threads;
            long longer = Long.parseLong(args[2 + 2 * pair]), shorter = Long.parseLong(args[3 + 2 * pair]);
            long first = (longer + shorter) * (i % threads) / threads;
            all[i] = new Thread(() -> turns(end, first, longer, shorter, sums[2 * pair], sums[2 * pair + 1]),
                longer + "-" + shorter);
            all[i].start();
        }
        for (Thread thread : all) thread.join();
        for (int i = 0; i < pairs; i++) {
            System.out.println(all[i * threads].getName() + " " + sums[2 * i] + " " + sums[2 * i + 1]);
        }
    }
}
