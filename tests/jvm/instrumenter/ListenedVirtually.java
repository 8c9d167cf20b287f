import com.google.monitoring.runtime.instrumentation.AllocationRecorder;
import com.google.monitoring.runtime.instrumentation.Sampler;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Listens to objects whose constructors wait, on virtual threads, and prints what it was told of: how many,
 * how many that were not complete, and how many on another thread than their own. Then removes the listener
 * while threads have objects that nobody has completed, and prints how many stay in memory.
 */
public class ListenedVirtually {
    static final AtomicLong TOLD = new AtomicLong();
    static final AtomicLong HALF = new AtomicLong();
    static final AtomicLong ELSEWHERE = new AtomicLong();
    static volatile Object sink;

    static class Slow {
        final Thread maker = Thread.currentThread();
        final boolean complete;

        Slow(boolean waits) {
            if (waits) {
                LockSupport.parkNanos(1_000_000);
            }
            complete = true;
        }
    }

    static void slow() throws InterruptedException {
        List<Thread> threads = new ArrayList<>();
        for (int n = 0; n < 100; ++n) {
            threads.add(Thread.startVirtualThread(() -> {
                for (int i = 0; i < 20; ++i) {
                    sink = new Slow(true);
                    sink = new Slow(false);
                }
            }));
        }
        for (Thread thread : threads) {
            thread.join();
        }
    }

    static void leave(Sampler sampler) throws InterruptedException {
        List<WeakReference<Object>> made = new ArrayList<>();
        CountDownLatch ready = new CountDownLatch(20);
        CountDownLatch removed = new CountDownLatch(1);
        List<Thread> threads = new ArrayList<>();
        for (int n = 0; n < 20; ++n) {
            Object payload = new Object();
            made.add(new WeakReference<>(payload));
            Runnable work = () -> {
                Runnable hidden = () -> payload.hashCode(); // of a hidden class: queued until its thread ends
                sink = hidden;
                ready.countDown();
                try {
                    removed.await();
                } catch (InterruptedException unexpected) {
                    throw new AssertionError(unexpected);
                }
            };
            threads.add(n % 2 == 0 ? Thread.startVirtualThread(work) : new Thread(work));
            if (n % 2 != 0) {
                threads.get(n).start();
            }
        }
        ready.await();
        sink = null;
        AllocationRecorder.removeSampler(sampler);
        removed.countDown();
        for (Thread thread : threads) {
            thread.join();
        }
        threads.clear();
        long left = 20;
        for (int i = 0; i < 50 && left > 0; ++i) {
            System.gc();
            Thread.sleep(20);
            left = made.stream().filter(one -> one.get() != null).count();
        }
        System.out.println("left " + left);
    }

    public static void main(String[] arguments) throws Exception {
        Sampler sampler = (count, desc, object, size) -> {
            if (object instanceof Slow) {
                Slow slow = (Slow) object;
                TOLD.incrementAndGet();
                if (!slow.complete) {
                    HALF.incrementAndGet();
                } else if (slow.maker != Thread.currentThread()) {
                    ELSEWHERE.incrementAndGet();
                }
            }
        };
        AllocationRecorder.addSampler(sampler);
        slow();
        System.out.println("told " + TOLD + " half " + HALF + " elsewhere " + ELSEWHERE);
        leave(sampler);
    }
}
