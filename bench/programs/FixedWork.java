import java.util.concurrent.CountDownLatch;

/**
 * FixedWork BUSY ROUNDS IDLE: threads that do the same work in every run, beside others that only
 * wait, and then the program ends.
 */
public class FixedWork {
    static volatile double sink;

    static double step(int depth, double x) {
        return depth == 0 ? Math.sqrt(x + 1) : step(depth - 1, x) + 1e-9;
    }

    static void work(int rounds) {
        double x = 1;
        for (int i = 0; i < rounds; i++) {
            for (int k = 0; k < 1000; k++) {
                x += step(12, x);
            }
        }
        sink = x;
    }

    public static void main(String[] args) throws Exception {
        int busy = Integer.parseInt(args[0]);
        int rounds = Integer.parseInt(args[1]);
        int idle = Integer.parseInt(args[2]);
        CountDownLatch never = new CountDownLatch(1);
        for (int i = 0; i < idle; i++) {
            Thread thread = new Thread(null, () -> {
                try {
                    never.await();
                } catch (InterruptedException e) {
                    return;
                }
            }, "idle-" + i, 256 << 10);
            thread.setDaemon(true);
            thread.start();
        }
        Thread[] all = new Thread[busy];
        for (int i = 0; i < busy; i++) {
            all[i] = new Thread(() -> work(rounds / busy));
            all[i].start();
        }
        for (Thread thread : all) {
            thread.join();
        }
    }
}
