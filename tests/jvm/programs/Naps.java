/**
 * Naps wait: a thread is in nap(), and calls nothing, until the end of the input; prints "made" when it
 * is, and then how many milliseconds that took.
 */
public class Naps {
    static final java.util.concurrent.CountDownLatch OVER = new java.util.concurrent.CountDownLatch(1);

    static void nap() {
        try {
            OVER.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws Exception {
        Thread naps = new Thread(Naps::nap);
        long begin = System.nanoTime();
        naps.start();
        while (naps.getState() != Thread.State.WAITING) Thread.sleep(1);
        System.out.println("made");
        while (System.in.read() >= 0) { }
        OVER.countDown();
        naps.join();
        System.out.println("napped " + (System.nanoTime() - begin) / 1_000_000);
    }
}
