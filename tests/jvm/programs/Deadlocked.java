import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Two threads that wait for each other's monitor, two for each other's ReentrantLock, one and five of
 * equal names that just wait for a monitor, one for that of a class, one in Object.wait(), and two idle
 * workers of a pool; until the end of stdin.
 */
public class Deadlocked {
    static final class Left { }

    static final class Right { }

    static final Object left = new Left(), right = new Right(), signal = new Object();
    static final ReentrantLock first = new ReentrantLock(), second = new ReentrantLock();

    static Thread start(String name, Runnable run) {
        Thread thread = new Thread(run, name);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    static void meet(CountDownLatch latch) {
        latch.countDown();
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    static void enter(Object one, Object other, CountDownLatch both) {
        synchronized (one) {
            meet(both);
            synchronized (other) {
                throw new IllegalStateException("no deadlock");
            }
        }
    }

    static synchronized void enterClass() {
        await();
    }

    static void lock(ReentrantLock one, ReentrantLock other, CountDownLatch both) {
        one.lock();
        meet(both);
        other.lock();
    }

    static void await() {
        synchronized (signal) {
            try {
                signal.wait();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    public static void main(String[] args) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(2, run -> {
            Thread thread = new Thread(run, "idle worker");
            thread.setDaemon(true);
            return thread;
        });
        CountDownLatch ran = new CountDownLatch(2);
        for (int i = 0; i < 2; i++) pool.execute(() -> meet(ran));
        ran.await();
        CountDownLatch entered = new CountDownLatch(2), locked = new CountDownLatch(2);
        Thread[] threads = {
            start("lefty", () -> enter(left, right, entered)),
            start("righty", () -> enter(right, left, entered)),
            start("one", () -> lock(first, second, locked)),
            start("two", () -> lock(second, first, locked)),
            start("waits", Deadlocked::await),
            start("has the class", Deadlocked::enterClass),
        };
        entered.await();
        locked.await();
        for (Thread thread : threads) {
            while (thread.getState() != Thread.State.BLOCKED
                && thread.getState() != Thread.State.WAITING) {
                Thread.sleep(1);
            }
        }
        List<Thread> late = new ArrayList<>();
        late.add(start("late", () -> enter(left, right, null)));
        late.add(start("wants the class", Deadlocked::enterClass));
        for (int i = 0; i < 5; i++) late.add(start("one-of-" + i, () -> enter(left, right, null)));
        for (Thread thread : late) {
            while (thread.getState() != Thread.State.BLOCKED) Thread.sleep(1);
        }
        System.out.println("ready");
        while (System.in.read() >= 0) { }
    }
}
