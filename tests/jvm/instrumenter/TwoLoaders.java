import java.io.File;
import java.lang.reflect.Proxy;
import java.net.URL;
import java.net.URLClassLoader;

/** The jar in two class loaders, of which one at a time is told. */
public class TwoLoaders {
    static int told;
    static Object kept;

    static final class Copy {
        final Class<?> recorder;
        final Class<?> type;
        final Object sampler;

        Copy(URL jar) throws Exception {
            ClassLoader loader = new URLClassLoader(new URL[] {jar}, null);
            String folder = "com.google.monitoring.runtime.instrumentation.";
            recorder = loader.loadClass(folder + "AllocationRecorder");
            type = loader.loadClass(folder + "Sampler");
            sampler = Proxy.newProxyInstance(loader, new Class<?>[] {type}, (self, called, with) -> {
                if ("TwoLoaders$Node".equals(with[1])) {
                    ++told;
                }
                return null;
            });
        }

        void call(String method) throws Exception {
            recorder.getMethod(method, type).invoke(null, sampler);
        }
    }

    static final class Node { }

    static void make(String what) {
        told = 0;
        for (int i = 0; i < 10; ++i) {
            kept = new Node();
        }
        System.out.println(what + " " + told);
    }

    public static void main(String[] arguments) throws Exception {
        URL jar = new File(arguments[0]).toURI().toURL();
        Copy first = new Copy(jar);
        Copy second = new Copy(jar);
        first.call("addSampler");
        make("first");
        second.call("removeSampler");
        make("still first");
        second.call("addSampler");
        make("second");
        first.call("removeSampler");
        make("still second");
    }
}
