import java.nio.file.Files;
import java.nio.file.Path;

/** System threads that call Java once more while they end, and what memory they leave behind. */
public class LateAttached {
    static volatile Object sink;

    static native void threads(int count, int rounds);

    static void work() {
        for (int i = 0; i < 4; i++) sink = new int[50];
    }

    static long residentBytes() throws Exception {
        return Long.parseLong(Files.readString(Path.of("/proc/self/statm")).split(" ")[1]) * 4096;
    }

    public static void main(String[] args) throws Exception {
        System.load(args[0]);
        threads(400, 2);
        System.gc();
        long before = residentBytes();
        threads(Integer.parseInt(args[1]), 2);
        System.gc();
        long left = residentBytes() - before, start = System.nanoTime();
        System.gc();
        System.out.printf("%d %d%n", left, (System.nanoTime() - start) / 1000);
    }
}
