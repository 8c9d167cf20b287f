import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * VirtualContention N: N virtual threads, all at one lock, each of which finds it taken: its holder
 * keeps it until another one has come. Then N / 10 that wait() for a moment. Prints what its own
 * clock says: contentions and nanoseconds.
 */
public class VirtualContention {
    static final class Gate { }

    static final Gate GATE = new Gate();
    static final AtomicLong entering = new AtomicLong();
    static final AtomicLong waiting = new AtomicLong();
    static final AtomicInteger coming = new AtomicInteger();

    static void pass() {
        coming.incrementAndGet();
        long begin = System.nanoTime();
        synchronized (GATE) {
            entering.addAndGet(System.nanoTime() - begin);
        }
    }

    static void rest() {
        Object own = new Object[0];
        synchronized (own) {
            long begin = System.nanoTime();
            try {
                own.wait(20);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            waiting.addAndGet(System.nanoTime() - begin);
        }
    }

    public static void main(String[] args) throws Exception {
        int n = Integer.parseInt(args[0]);
        Thread[] all = new Thread[n];
        synchronized (GATE) {
            for (int i = 0; i < n; i++) {
                all[i] = Thread.startVirtualThread(VirtualContention::pass);
            }
            while (coming.get() < n) {
                Thread.sleep(1);
            }
            Thread.sleep(300);  // the last ones are at the lock
        }
        for (Thread thread : all) {
            thread.join();
        }
        Thread[] resting = new Thread[n / 10];
        for (int i = 0; i < resting.length; i++) {
            resting[i] = Thread.startVirtualThread(VirtualContention::rest);
        }
        for (Thread thread : resting) {
            thread.join();
        }
        System.out.println("enter " + n + " " + entering.get());
        System.out.println("wait " + resting.length + " " + waiting.get());
    }
}
