package shop;

import java.util.ArrayList;
import java.util.List;
import java.util.zip.Deflater;

/** Keeps compressors that nobody ends: the Java heap stays small, malloc's grows. For ARG seconds. */
public final class Archive {
    private static final List<Deflater> OPEN = new ArrayList<>();

    private static byte[] pack(byte[] text) {
        Deflater deflater = new Deflater();
        OPEN.add(deflater);  // end() would give back some 260 KB
        deflater.setInput(text);
        deflater.finish();
        byte[] packed = new byte[text.length];
        deflater.deflate(packed);
        return packed;
    }

    public static void main(String[] args) throws InterruptedException {
        long end = System.nanoTime() + Long.parseLong(args[0]) * 1_000_000_000L;
        while (System.nanoTime() < end) {
            pack(new byte[10_000]);
            Thread.sleep(50);
        }
        System.out.println(OPEN.size() + " compressors");
    }
}
