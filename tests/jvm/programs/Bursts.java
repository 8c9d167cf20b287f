import java.util.concurrent.locks.LockSupport;

/** Threads that allocate in bursts, and threads that come and go, until stdin ends. */
public final class Bursts {
    static volatile Object keep;

    private static void burst(int objects) {
        for (int i = 0; i < objects; i++) {
            keep = new long[i % 8];
        }
    }

    public static void main(String[] args) throws Exception {
        for (int i = 0; i < 3; i++) {
            Thread thread = new Thread(() -> {
                for (;;) {
                    burst(20);
                    LockSupport.parkNanos(200_000);
                }
            });
            thread.setDaemon(true);
            thread.start();
        }
        Thread comers = new Thread(() -> {
            for (;;) {
                new Thread(() -> burst(50)).start();
                LockSupport.parkNanos(1_000_000);
            }
        });
        comers.setDaemon(true);
        comers.start();
        System.out.println("ready");
        while (System.in.read() >= 0) {
        }
    }
}
