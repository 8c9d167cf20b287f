import java.io.RandomAccessFile;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.util.ArrayList;
import java.util.List;

/**
 * Threads that allocate until something ends the process. Each notes in a file that is mapped into
 * memory how many long[] it has made: object number n has n % 50 elements, and the note is written
 * when it is there.
 */
public class Killed {
    static class Unit {
        long[] made;
    }

    static void allocate(MappedByteBuffer notes, int slot) {
        Unit unit = new Unit();
        for (long n = 1; ; n++) {
            unit.made = new long[(int) (n % 50)];
            notes.putLong(slot * 64, n);
        }
    }

    public static void main(String[] args) throws Exception {
        switch (args[0]) {
            case "notes": {
                int threads = Integer.parseInt(args[2]);
                MappedByteBuffer notes;
                try (RandomAccessFile file = new RandomAccessFile(args[1], "rw")) {
                    notes = file.getChannel().map(FileChannel.MapMode.READ_WRITE, 0, threads * 64L);
                }
                notes.order(ByteOrder.LITTLE_ENDIAN);
                for (int i = 0; i < threads; i++) {
                    int slot = i;
                    new Thread(() -> allocate(notes, slot), "worker-" + slot).start();
                }
                System.out.println("ready");
                System.out.flush();
                Thread.sleep(600_000);
                return;
            }
            case "oom": {
                System.out.println("ready");
                System.out.flush();
                List<Object> keep = new ArrayList<>();
                while (true) keep.add(new long[100_000]);
            }
            case "child": {  // a VM that inherits JAVA_TOOL_OPTIONS
                Process child = new ProcessBuilder(args[1], "-cp", System.getProperty("java.class.path"),
                        "Exits", "return").inheritIO().start();
                System.out.println("child ended with " + child.waitFor());
                System.in.read();
                return;
            }
            default: throw new IllegalArgumentException(args[0]);
        }
    }
}
