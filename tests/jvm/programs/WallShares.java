/**
 * WallShares MILLISECONDS SPINNERS: for so long, main works and sleeps by turns, "idle" waits to be
 * notified, "blocked" waits for a lock, and SPINNERS threads compute. Prints for how many milliseconds
 * main worked, waiting for a processor included, and slept.
 */
public class WallShares {
    static final Object monitor = new Object(), lock = new Object();
    static final int NAP_MS = 70;
    static volatile double sink;

    static void work() {
        long end = System.nanoTime() + 30_000_000;
        while (System.nanoTime() < end) Thread.onSpinWait();
    }

    static void rest() throws InterruptedException {
        Thread.sleep(NAP_MS);
    }

    static void idle() {
        synchronized (monitor) {
            try {
                for (;;) monitor.wait();
            } catch (InterruptedException end) {
                return;
            }
        }
    }

    static void enter() {
        synchronized (lock) {
            sink = 0;
        }
    }

    static void spin() {
        for (double x = 1;; sink = x) {
            for (int i = 0; i < 20_000; i++) x += Math.sqrt(x);
        }
    }

    static void start(String name, Runnable code) {
        Thread thread = new Thread(code, name);
        thread.setDaemon(true);
        thread.start();
    }

    public static void main(String[] args) throws Exception {
        synchronized (lock) {
            start("idle", WallShares::idle);
            start("blocked", WallShares::enter);
            for (int i = 0; i < Integer.parseInt(args[1]); i++) start("busy-" + i, WallShares::spin);
            int naps = 0;
            long begin = System.nanoTime(), end = begin + Long.parseLong(args[0]) * 1_000_000;
            while (System.nanoTime() < end) {
                work();
                rest();
                naps++;
            }
            long all = (System.nanoTime() - begin) / 1_000_000;
            System.out.println("working " + (all - naps * NAP_MS) + " resting " + naps * NAP_MS);
            System.exit(0);
        }
    }
}
