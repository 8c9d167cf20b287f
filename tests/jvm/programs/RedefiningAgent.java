import java.io.FileOutputStream;
import java.io.InputStream;
import java.lang.instrument.ClassDefinition;
import java.lang.instrument.Instrumentation;

/**
 * A Java agent that redefines the loaded classes whose names begin with a prefix, one after another
 * without end, as what they were. Its argument is "FILE,PREFIX"; the file gets a byte for each.
 * The program has as much time as the redefinitions take.
 */
public class RedefiningAgent {
    static volatile boolean stop;

    public static void premain(String arguments, Instrumentation instrumentation) {
        String[] words = arguments.split(",");
        Thread thread = new Thread(() -> {
            try (FileOutputStream out = new FileOutputStream(words[0], true)) {
                while (!stop) {
                    long begin = System.nanoTime();
                    round(instrumentation, words[1], out);
                    Thread.sleep(Math.max(5, (System.nanoTime() - begin) / 1_000_000));
                }
            } catch (Throwable e) {
                if (!stop) e.printStackTrace();
            }
        }, "redefining");
        thread.setDaemon(true);
        thread.start();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> stop = true));
    }

    static void round(Instrumentation instrumentation, String prefix, FileOutputStream out) throws Exception {
        for (Class<?> loaded : instrumentation.getAllLoadedClasses()) {
            if (stop) return;
            if (!loaded.getName().startsWith(prefix) || !instrumentation.isModifiableClass(loaded)) continue;
            String file = "/" + loaded.getName().replace('.', '/') + ".class";
            try (InputStream in = loaded.getResourceAsStream(file)) {
                if (in == null) continue;
                instrumentation.redefineClasses(new ClassDefinition(loaded, in.readAllBytes()));
            }
            out.write('.');
        }
    }
}
