/** A thread "runs" that computes for 5 ms and sleeps for 15, until the end of input. */
public class ShortRuns {
    static volatile long sink;

    static void compute() {
        long end = System.nanoTime() + 5_000_000;
        while (System.nanoTime() < end) {
            for (int i = 0; i < 1000; i++) sink += i;
        }
    }

    public static void main(String[] args) throws Exception {
        Thread thread = new Thread(() -> {
            while (true) {
                compute();
                try {
                    Thread.sleep(15);
                } catch (InterruptedException e) {
                    return;
                }
            }
        }, "runs");
        thread.setDaemon(true);
        thread.start();
        System.out.println("ready");
        while (System.in.read() >= 0) {
        }
    }
}
