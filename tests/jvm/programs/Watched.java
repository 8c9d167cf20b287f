import java.io.BufferedReader;
import java.io.InputStreamReader;

/**
 * A burner that runs busy(20000) over and over, a holder of a lock, one blocked on it, one in
 * Object.wait(), and a thread with an awkward name. Ends at the end of its input.
 */
public final class Watched {
    static volatile long sink;
    static long sum;

    private Watched() {
    }

    static int busy(int rounds) {
        int x = 1;
        for (int i = 0; i < rounds; i++) {
            x = x * 31 + i;
        }
        return x;
    }

    static void burn() {
        while (true) {
            sink = busy(20000);
            sum++;
        }
    }

    static void hold(Object lock, Object forever) {
        synchronized (lock) {
            synchronized (Watched.class) {
                Watched.class.notifyAll();
            }
            while (true) {
                try {
                    Thread.sleep(1_000_000);
                } catch (InterruptedException e) {
                    return;
                }
            }
        }
    }

    static void wantLock(Object lock) {
        synchronized (lock) {
            sink++;
        }
    }

    static void waitOn(Object object) {
        synchronized (object) {
            while (true) {
                try {
                    object.wait();
                } catch (InterruptedException e) {
                    return;
                }
            }
        }
    }

    static Thread start(String name, Runnable body) {
        Thread thread = new Thread(body, name);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    static void await(Thread thread, Thread.State state) throws InterruptedException {
        while (thread.getState() != state) {
            Thread.sleep(5);
        }
    }

    public static void main(String[] args) throws Exception {
        Object lock = new Object();
        Object object = new Object();
        Thread holder;
        synchronized (Watched.class) {
            holder = start("holder", () -> hold(lock, object));
            Watched.class.wait();
        }
        await(holder, Thread.State.TIMED_WAITING);
        Thread blocked = start("blocked & <waiter>", () -> wantLock(lock));
        await(blocked, Thread.State.BLOCKED);
        Thread waiter = start("waiter", () -> waitOn(object));
        await(waiter, Thread.State.WAITING);
        Thread burner = start("burner", Watched::burn);
        System.out.println("ids " + burner.getId() + " " + holder.getId() + " " + blocked.getId() + " "
                + waiter.getId());
        System.out.println("ready");
        try (BufferedReader in = new BufferedReader(new InputStreamReader(System.in))) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                if (line.equals("sum")) {
                    System.out.println(sum);
                }
            }
        }
    }
}
