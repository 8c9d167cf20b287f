import java.util.concurrent.locks.LockSupport;

/**
 * Pinned: a virtual thread that parks five times while the VM's own frame (of a class that is being
 * initialised) keeps it on its carrier, and five times where nothing does. Prints the nanoseconds
 * of either.
 */
public class Pinned {
    static long pinned;
    static long free;

    static final class Slow {
        static {
            pinned = rest(5);
        }
    }

    static long rest(int times) {
        long begin = System.nanoTime();
        for (int i = 0; i < times; i++) {
            LockSupport.parkNanos(100_000_000);
        }
        return System.nanoTime() - begin;
    }

    public static void main(String[] args) throws Exception {
        Thread.startVirtualThread(() -> {
            new Slow();
            free = rest(5);
        }).join();
        System.out.println("pin " + pinned + "\nfree " + free);
    }
}
