import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Parked THREADS ROUNDS HOLD_MS: threads that take one ReentrantLock in turn and hold it for a fixed
 * time, then one that parks by itself. Prints what its own clock says, as Contended does.
 */
public class Parked {
    static final ReentrantLock TILL = new ReentrantLock(true);
    static final AtomicLong entering = new AtomicLong();

    static void pay(int rounds, int holdMs) {
        for (int i = 0; i < rounds; i++) {
            long begin = System.nanoTime();
            TILL.lock();
            try {
                entering.addAndGet(System.nanoTime() - begin);
                Contended.hold(holdMs);
            } finally {
                TILL.unlock();
            }
        }
    }

    static long rest(int rounds, int ms) {
        long rested = 0;
        StringBuilder why = new StringBuilder();
        for (int i = 0; i < rounds; i++) {
            long begin = System.nanoTime();
            LockSupport.parkNanos(why, ms * 1_000_000L);
            rested += System.nanoTime() - begin;
        }
        return rested;
    }

    public static void main(String[] args) throws Exception {
        int threads = Integer.parseInt(args[0]);
        int rounds = Integer.parseInt(args[1]);
        int holdMs = Integer.parseInt(args[2]);
        CountDownLatch ready = new CountDownLatch(threads);
        Thread[] all = new Thread[threads];
        TILL.lock();
        for (int i = 0; i < threads; i++) {
            all[i] = new Thread(() -> {
                ready.countDown();
                pay(rounds, holdMs);
            });
            all[i].start();
        }
        ready.await();
        TILL.unlock();
        for (Thread thread : all) {
            thread.join();
        }
        System.out.println("enter " + entering.get() + "\nrest " + rest(rounds, holdMs));
    }
}
