import java.util.concurrent.CountDownLatch;

/**
 * 200 threads that have allocated 2,000 arrays each and end one after the other while the program ends.
 * Argument: that many threads of ten arrays instead, all of which have ended when main() returns.
 */
public class EndingThreads {
    static volatile Object sink;

    static void work(int number, CountDownLatch ready, CountDownLatch over) {
        for (int i = 0; i < 2000; i++) sink = new int[100];
        ready.countDown();
        try {
            over.await();
        } catch (InterruptedException e) {
            return;
        }
        long end = System.nanoTime() + number * 60_000L;
        while (System.nanoTime() < end) Thread.onSpinWait();
    }

    static void workBriefly() {
        for (int i = 0; i < 10; i++) sink = new int[100];
    }

    public static void main(String[] args) throws Exception {
        for (int i = args.length > 0 ? Integer.parseInt(args[0]) : 0; i > 0; i--) {
            Thread brief = new Thread(EndingThreads::workBriefly);
            brief.start();
            brief.join();
        }
        if (args.length > 0) return;
        CountDownLatch ready = new CountDownLatch(200), over = new CountDownLatch(1);
        for (int i = 0; i < 200; i++) {
            int number = i;
            Thread thread = new Thread(() -> work(number, ready, over));
            thread.setDaemon(true);
            thread.start();
        }
        ready.await();
        Runtime.getRuntime().addShutdownHook(new Thread(over::countDown));
        System.exit(0);
    }
}
