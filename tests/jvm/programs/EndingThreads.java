import java.util.concurrent.CountDownLatch;

/** 200 threads that have allocated 2,000 arrays each and end one after the other while the program ends. */
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

    public static void main(String[] args) throws Exception {
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
