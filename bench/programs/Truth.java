import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.reflect.InvocationTargetException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * Runs another program's main() and writes at its end, also that by exit(), what the VM's counters say of all
 * threads that are alive then: "vm BYTES". With a counter (a class that is a Runnable) that one's toString()
 * follows, of which nothing of the end is part: "CLASS OBJECTS BYTES" a line.
 *
 * Truth OUTPUT COUNTER|- MAIN [ARGUMENT]...
 */
public final class Truth {
    /** When main() returned, whose thread is gone at the end. */
    private static volatile long returned;

    public static void main(String[] words) throws Throwable {
        Path output = Path.of(words[0]);
        Runnable counter = words[1].equals("-") ? null
                : (Runnable) Class.forName(words[1]).getDeclaredConstructor().newInstance();
        var main = Class.forName(words[2]).getMethod("main", String[].class);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            String text = "vm " + Math.max(returned, allocated()) + "\n" + (counter == null ? "" : counter);
            try {
                Files.writeString(output, text);
            } catch (IOException failure) {
                System.err.println(failure);
            }
        }));
        if (counter != null) {
            counter.run();
        }
        try {
            main.invoke(null, (Object) Arrays.copyOfRange(words, 3, words.length));
        } catch (InvocationTargetException failure) {
            throw failure.getCause();
        } finally {
            returned = allocated();
        }
    }

    private static long allocated() {
        var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        long bytes = 0;
        for (long one : threads.getThreadAllocatedBytes(threads.getAllThreadIds())) {
            bytes += Math.max(one, 0);
        }
        return bytes;
    }
}
