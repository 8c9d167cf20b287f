import java.util.concurrent.locks.ReentrantLock;

/** BriefLocks monitor|lock THREADS MS: each thread is inside() the lock for 0.4 ms, then sleeps longer outside(). */
public class BriefLocks {
    static final Object MONITOR = new Object();
    static final ReentrantLock LOCK = new ReentrantLock();
    static long sink;

    static void inside() {
        for (long end = System.nanoTime() + 400_000; System.nanoTime() < end; ) sink++;
    }

    static void outside() {
        try {
            Thread.sleep(10);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    static void run(boolean reentrant, long end) {
        while (System.nanoTime() < end) {
            if (reentrant) {
                LOCK.lock();
                try {
                    inside();
                } finally {
                    LOCK.unlock();
                }
            } else {
                synchronized (MONITOR) {
                    inside();
                }
            }
            outside();
        }
    }

    public static void main(String[] args) throws InterruptedException {
        boolean reentrant = args[0].equals("lock");
        long end = System.nanoTime() + Long.parseLong(args[2]) * 1_000_000;
        Thread[] threads = new Thread[Integer.parseInt(args[1])];
        for (int i = 0; i < threads.length; i++) {
            threads[i] = new Thread(() -> run(reentrant, end), "brief-" + i);
            threads[i].start();
        }
        for (Thread thread : threads) thread.join();
    }
}
