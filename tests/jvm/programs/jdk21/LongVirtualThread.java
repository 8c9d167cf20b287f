import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A virtual thread that allocates, then spins on its carrier until reports without its records have
 * been written, and allocates again. Argument: the file that the agent rewrites every second.
 */
public class LongVirtualThread {
    static class Early { long a; }
    static class Late { long a; }

    static volatile Object sink;
    static volatile int step;

    static void await(int wanted) {
        while (step < wanted) Thread.onSpinWait();
    }

    static void awaitNewReport(Path report) throws Exception {
        Object before = Files.exists(report) ? Files.readAttributes(report, "unix:ino").get("ino") : "";
        for (;;) {
            Thread.sleep(20);
            if (Files.exists(report) && !Files.readAttributes(report, "unix:ino").get("ino").equals(before)) return;
        }
    }

    public static void main(String[] args) throws Exception {
        Path report = Path.of(args[0]);
        Thread thread = Thread.ofVirtual().name("the long one").start(() -> {
            sink = new Early();
            step = 1;
            await(2);
            for (int i = 0; i < 50; i++) sink = new Late();
        });
        await(1);
        for (int i = 0; i < 1000; i++) sink = new Object();  // more than the ring holds
        awaitNewReport(report);
        awaitNewReport(report);
        step = 2;
        thread.join();
    }
}
