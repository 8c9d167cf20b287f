import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Contended THREADS ROUNDS HOLD_MS [PAUSE_MS]: threads that take one lock in turn and hold it for a
 * fixed time, then one that waits on a monitor. Prints what its own clock says: how long all threads
 * together waited to enter, and how long the one was in wait(). Without a pause a thread may take the
 * lock many times in a row.
 */
public class Contended {
    static final class Till { }

    static final Till TILL = new Till();
    static final AtomicLong entering = new AtomicLong();

    static void pay(int rounds, int holdMs, int pauseMs) {
        for (int i = 0; i < rounds; i++) {
            long begin = System.nanoTime();
            synchronized (TILL) {
                entering.addAndGet(System.nanoTime() - begin);
                hold(holdMs);
            }
            if (pauseMs > 0) {
                hold(pauseMs);
            }
        }
    }

    static void hold(int ms) {
        try {
            Thread.sleep(ms);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    static long waitFor(int rounds, int ms) throws InterruptedException {
        long waited = 0;
        Object bell = new Object[0];
        synchronized (bell) {
            for (int i = 0; i < rounds; i++) {
                long begin = System.nanoTime();
                bell.wait(ms);
                waited += System.nanoTime() - begin;
            }
        }
        return waited;
    }

    public static void main(String[] args) throws Exception {
        int threads = Integer.parseInt(args[0]);
        int rounds = Integer.parseInt(args[1]);
        int holdMs = Integer.parseInt(args[2]);
        int pauseMs = args.length > 3 ? Integer.parseInt(args[3]) : 0;
        CountDownLatch ready = new CountDownLatch(threads);
        Thread[] all = new Thread[threads];
        for (int i = 0; i < threads; i++) {
            all[i] = new Thread(() -> {
                ready.countDown();
                pay(rounds, holdMs, pauseMs);
            });
        }
        synchronized (TILL) {
            for (Thread thread : all) {
                thread.start();
            }
            ready.await();
        }
        for (Thread thread : all) {
            thread.join();
        }
        long waited = waitFor(rounds, holdMs);
        System.out.println("enter " + entering.get() + "\nwait " + waited);
    }
}
