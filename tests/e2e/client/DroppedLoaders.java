import java.io.File;
import java.lang.ref.WeakReference;
import java.net.URL;
import java.net.URLClassLoader;
import org.apache.harmony.dalvik.ddmc.ChunkHandler;
import org.apache.harmony.dalvik.ddmc.DdmServer;

/**
 * Two class loaders with ddm-client.jar, one after the other, register a handler for the same type
 * and are dropped. Prints "dropped" for each that was unloaded. Arguments: the jar, and the folder of
 * these classes.
 */
public class DroppedLoaders {
    static final InheritableThreadLocal<Object> inheritable = new InheritableThreadLocal<>();

    /** Loaded by the dropped class loaders. */
    public static class Plugin implements Runnable {
        @Override
        public void run() {
            DdmServer.registerHandler(ChunkHandler.type("BACK"), new ClientProgram.Handler());
        }
    }

    static WeakReference<ClassLoader> use(URL[] path) throws Exception {
        URLClassLoader loader = new URLClassLoader(path, ClassLoader.getPlatformClassLoader());
        Runnable plugin = (Runnable) Class.forName("DroppedLoaders$Plugin", true, loader)
                .getDeclaredConstructor().newInstance();
        Thread thread = new Thread(() -> {
            inheritable.set(plugin);
            plugin.run();
        });
        thread.setContextClassLoader(loader);
        thread.start();
        thread.join();
        loader.close();
        return new WeakReference<>(loader);
    }

    static String fate(WeakReference<ClassLoader> loader) throws InterruptedException {
        for (int turn = 0; turn < 50; turn++) {
            System.gc();
            if (loader.get() == null) {
                return "dropped";
            }
            Thread.sleep(20);
        }
        return "kept";
    }

    public static void main(String[] arguments) throws Exception {
        URL[] path = new URL[arguments.length];
        for (int i = 0; i < path.length; i++) {
            path[i] = new File(arguments[i]).toURI().toURL();
        }
        for (int turn = 0; turn < 2; turn++) {
            System.out.println(fate(use(path)));
        }
    }
}
