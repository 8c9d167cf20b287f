import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Says "ready", then does as it is told until "end": "contend" makes two threads wait for a lock of
 * either kind, once each; "spin" computes for a third of a second. Says "done" after each.
 */
public class TimesToggled {
    static final class Till { }

    static volatile double sink;

    static void withLocks() throws Exception {
        Till till = new Till();
        ReentrantLock lock = new ReentrantLock();
        Thread monitor = new Thread(() -> {
            synchronized (till) {
                sink++;
            }
        });
        Thread parked = new Thread(() -> {
            lock.lock();
            lock.unlock();
        });
        lock.lock();
        synchronized (till) {
            monitor.start();
            parked.start();
            while (monitor.getState() != Thread.State.BLOCKED
                    || parked.getState() != Thread.State.WAITING) {
                Thread.sleep(1);
            }
            // A thread is BLOCKED a little before the event says so, in which the holder is looked up.
            Thread.sleep(100);
        }
        lock.unlock();
        monitor.join();
        parked.join();
    }

    static void spin() {
        long end = System.nanoTime() + 300_000_000;
        while (System.nanoTime() < end) {
            for (int i = 0; i < 20_000; i++) {
                sink += Math.sqrt(i);
            }
        }
    }

    public static void main(String[] args) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        System.out.println("ready");
        for (String line = in.readLine(); line != null && !line.equals("end"); line = in.readLine()) {
            if (line.equals("contend")) {
                withLocks();
            } else {
                spin();
            }
            System.out.println("done");
        }
        System.out.println("ends");
    }
}
