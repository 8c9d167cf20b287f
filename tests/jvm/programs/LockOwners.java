import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;

/**
 * LockOwners monitor|lock platform|virtual ROUNDS HOLD_MS: in each round "till-N" takes the lock, a
 * customer waits for it, gets it and holds it while one who is late waits. Prints who had the lock when
 * a thread began to wait for it, how often, and how long those waited by their own clock.
 */
public class LockOwners {
    static final class Till { }

    static final Till TILL = new Till();
    static final ReentrantLock LOCK = new ReentrantLock();
    static final Map<String, long[]> sums = new TreeMap<>();
    static boolean reentrant, virtual;
    static int holdMs;
    static volatile String owner;

    static void locked(Runnable inside) {
        if (reentrant) {
            LOCK.lock();
            try {
                inside.run();
            } finally {
                LOCK.unlock();
            }
        } else {
            synchronized (TILL) {
                inside.run();
            }
        }
    }

    static volatile Thread awaited;

    /** Takes the lock that another thread has, once that holds it in holdUntilWaiting(). */
    static void waitFor(Runnable inside) {
        while (awaited != Thread.currentThread()) Thread.yield();
        String before = owner;
        long begin = System.nanoTime();
        locked(() -> {
            long waited = System.nanoTime() - begin;
            long[] sum = sums.computeIfAbsent(before, name -> new long[2]);
            sum[0]++;
            sum[1] += waited;
            inside.run();
        });
    }

    static void holdUntilWaiting(Thread other) {
        owner = Thread.currentThread().getName();
        awaited = other;
        try {
            while (other.getState() != (reentrant ? Thread.State.WAITING : Thread.State.BLOCKED)) {
                Thread.sleep(1);
            }
            Thread.sleep(holdMs);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    static Thread start(String name, Runnable run) {
        if (!virtual) {
            Thread thread = new Thread(run, name);
            thread.start();
            return thread;
        }
        try {
            return (Thread) Thread.class.getMethod("startVirtualThread", Runnable.class)
                .invoke(null, (Runnable) () -> {
                    Thread.currentThread().setName(name);
                    run.run();
                });
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    static Thread late, customer;

    static void serveOne(int round) throws InterruptedException {
        Thread till = start("till-" + round % 3, () -> locked(() -> {
            owner = Thread.currentThread().getName();
            customer = start("customer", () -> waitFor(() -> {
                owner = Thread.currentThread().getName();
                late = start("late", () -> waitFor(() -> { }));
                holdUntilWaiting(late);
            }));
            holdUntilWaiting(customer);
        }));
        till.join();
        customer.join();
        late.join();
    }

    public static void main(String[] args) throws Exception {
        reentrant = args[0].equals("lock");
        virtual = args[1].equals("virtual");
        holdMs = Integer.parseInt(args[3]);
        owner = "nobody";
        awaited = Thread.currentThread();
        waitFor(() -> { });  // what is linked by it takes longer than the lock
        sums.clear();
        for (int round = 0; round < Integer.parseInt(args[2]); round++) {
            serveOne(round);
        }
        sums.forEach((name, sum) -> System.out.println(name + " " + sum[0] + " " + sum[1]));
    }
}
