/**
 * PassedOn THREADS CALLS: each thread calls pass() so often, which only calls spin(), which computes for
 * a millisecond.
 */
public class PassedOn {
    static volatile long sink;

    static void spin() {
        long end = System.nanoTime() + 1_000_000;
        while (System.nanoTime() < end) sink++;
    }

    static void pass() {
        spin();
    }

    public static void main(String[] args) throws InterruptedException {
        Thread[] threads = new Thread[Integer.parseInt(args[0])];
        int calls = Integer.parseInt(args[1]);
        for (int i = 0; i < threads.length; i++) {
            threads[i] = new Thread(() -> {
                for (int call = 0; call < calls; call++) pass();
            });
            threads[i].start();
        }
        for (Thread thread : threads) thread.join();
    }
}
