import java.util.zip.Deflater;

/**
 * Two threads that are in a JNI critical region most of the time, and two whose deep recursion has an
 * object in each frame that C2 keeps in registers. Prints "ready", ends with stdin.
 */
public class CriticalRegions {
    static class Pair {
        final int a, b;
        Pair(int a, int b) { this.a = a; this.b = b; }
    }

    static volatile Object sink;
    static volatile int sum;

    static int deep(int depth, int seed) {
        Pair pair = new Pair(seed, seed + depth);
        int below = depth == 0 ? garbage() : deep(depth - 1, seed + 1);
        return below + pair.a * pair.b;
    }

    static int garbage() {
        for (int i = 0; i < 200; i++) sink = new byte[500];
        return 1;
    }

    static void compress() {
        byte[] in = new byte[1 << 16], out = new byte[1 << 16];
        for (int i = 0; i < in.length; i++) in[i] = (byte) (i * 31 ^ i >> 5);
        Deflater deflater = new Deflater();
        while (true) {
            deflater.reset();
            deflater.setInput(in);
            deflater.finish();
            while (!deflater.finished()) deflater.deflate(out);
        }
    }

    static void start(Runnable loop) {
        Thread thread = new Thread(loop);
        thread.setDaemon(true);
        thread.start();
    }

    public static void main(String[] args) throws Exception {
        for (int i = 0; i < 20_000; i++) sum += deep(5, i);  // C2 compiles it
        for (int i = 0; i < 2; i++) {
            start(CriticalRegions::compress);
            start(() -> { while (true) sum += deep(400, 1); });
        }
        Thread.sleep(500);
        System.out.println("ready");
        while (System.in.read() >= 0) { }
    }
}
