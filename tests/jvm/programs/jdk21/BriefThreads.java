import java.util.concurrent.locks.LockSupport;

/** Named virtual threads that make one byte[1000] each and end, some thousands a second, until stdin ends. */
public final class BriefThreads {
    static volatile Object kept;

    public static void main(String[] args) throws Exception {
        Thread starter = new Thread(() -> {
            for (int i = 0;; i++) {
                Thread.ofVirtual().name("brief-" + i).start(() -> kept = new byte[1000]);
                LockSupport.parkNanos(100_000);
            }
        });
        starter.setDaemon(true);
        starter.start();
        System.out.println("ready");
        while (System.in.read() >= 0) {
        }
    }
}
