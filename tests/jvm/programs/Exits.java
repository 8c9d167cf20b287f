import java.util.ArrayList;
import java.util.List;

/** Allocates ten Marks, says so, then ends in the way that its argument names. */
public class Exits {
    static class Mark { int n; }
    static volatile Object sink;  static Object leak;

    static void mark() {
        for (int i = 0; i < 10; i++) {
            Mark mark = new Mark();  // line 11: where the records must point to
            mark.n = i;
            sink = mark;
        }
    }

    public static void main(String[] args) throws Exception {
        mark();
        System.out.println("ready");
        System.out.flush();
        switch (args[0]) {
            case "return": return;
            case "daemon":
                Thread busy = new Thread(() -> {  // slow enough to leave the marks in the ring
                    while (true) {
                        for (int i = 0; i < 100; i++) sink = new int[10];
                        java.util.concurrent.locks.LockSupport.parkNanos(1_000_000);
                    }
                });
                busy.setDaemon(true);
                busy.start();
                Thread.sleep(50);
                return;
            case "allocating":  // up to the very end, each of eight threads without a pause
                java.util.concurrent.CountDownLatch running = new java.util.concurrent.CountDownLatch(8);
                for (int i = 0; i < 8; i++) {
                    Thread one = new Thread(() -> {
                        for (long n = 0;; n++) {
                            sink = new Mark();
                            if (n == 1000) running.countDown();
                        }
                    });
                    one.setDaemon(true);
                    one.start();
                }
                running.await();
                return;
            case "halting":  // and for a while before the end
                for (int i = 0; i < 3; i++) {
                    Thread one = new Thread(() -> { for (;;) sink = new byte[1000]; });
                    one.setDaemon(true);
                    one.start();
                }
                Thread.sleep(Integer.parseInt(args[1]));
                System.exit(3);
                return;
            case "marks":
                for (int i = Integer.parseInt(args[1]); i > 0; i--) sink = new Mark();
                return;
            case "exit": System.exit(3); return;
            case "halt": Runtime.getRuntime().halt(4); return;
            case "throw": throw new IllegalStateException("on purpose");
            case "leak":  // leaves no room for anything
                for (;;) leak = new Object[] {leak, new byte[64]};
            case "oom":
                List<Object> keep = new ArrayList<>();
                try {
                    while (true) keep.add(new long[100_000]);
                } catch (OutOfMemoryError e) {
                    keep = null;
                }
                System.out.println("survived");
                System.out.flush();
                mark();
                System.in.read();
                return;
            case "wait": System.in.read(); return;
            default: throw new IllegalArgumentException(args[0]);
        }
    }
}
