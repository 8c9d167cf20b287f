import java.io.File;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Map;

/**
 * What Instrumented does beside its own: "code CLASS" says what the VM runs (with the agent of
 * tests/jvm/patch). "load WHO DIR CLASS" loads and links a guest, "alone": with a loader that knows
 * nothing else; "also CLASS WHO" another one by the same loader, "call WHO METHOD" calls it, "drop"
 * lets go of all. "fill N" adds to collections of
 * the JDK, "thread N" runs twice() N times on a thread of its own and tells its id, "broken" makes
 * Instrumented.Broken fail.
 */
final class Guests {
    private static final Map<String, Class<?>> ALL = new HashMap<>();

    private Guests() {
    }

    /** Linked, and not initialised. */
    private static void load(String who, String dir, String name, boolean alone) throws Exception {
        ClassLoader parent = alone ? null : Guests.class.getClassLoader();
        URL[] where = {new File(dir).toURI().toURL()};
        add(who, name, new URLClassLoader(where, parent));
    }

    private static void add(String who, String name, ClassLoader loader) throws Exception {
        Class<?> guest = Class.forName(name, false, loader);
        guest.getDeclaredConstructors();
        ALL.put(who, guest);
    }

    private static String call(String who, String name) {
        Object said;
        try {
            Method method = ALL.get(who).getMethod(name);
            method.setAccessible(true);
            said = method.invoke(null);
        } catch (InvocationTargetException e) {
            said = e.getCause();
        } catch (ReflectiveOperationException | LinkageError e) {
            said = e;
        }
        return String.valueOf(said).replace(' ', '_').replace('\n', '_');
    }

    private static String fill(int times) {
        ArrayList<Object> list = new ArrayList<>();
        HashMap<Object, Object> map = new HashMap<>();
        for (int i = 0; i < times; i++) {
            list.add(i);
            map.put(i, i);
        }
        return list.size() + " " + map.size();
    }

    private static long onThread(int times) throws InterruptedException {
        Thread thread = new Thread(() -> {
            int sum = 0;
            for (int i = 0; i < times; i++) {
                sum += Instrumented.twice(i);
            }
            Instrumented.statics = sum;
        });
        thread.start();
        thread.join();
        return thread.getId();
    }

    private static String breakIt() {
        try {
            Instrumented.Broken.number(1);
            return "whole";
        } catch (LinkageError expected) {
            return "broken";
        }
    }

    static String answer(String[] words) throws Exception {
        switch (words[0]) {
            case "code":
                Class<?> guest = ALL.get(words[1]);
                return Patching.code(guest != null ? guest : Class.forName(words[1])).replace('\n', ';');
            case "load":
                load(words[1], words[2], words[3], words.length > 4);
                return "loaded";
            case "also":
                add(words[1], words[1], ALL.get(words[2]).getClassLoader());
                return "loaded";
            case "call":
                Instrumented.Seen.ALL.clear();
                String said = call(words[1], words[2]);
                Instrumented.Seen.ALL.add(0, said);
                return String.join(" ", Instrumented.Seen.ALL);
            case "drop":
                ALL.clear();
                System.gc();
                return "dropped";
            case "fill":
                return fill(Integer.parseInt(words[1]));
            case "thread":
                return Long.toString(onThread(Integer.parseInt(words[1])));
            case "broken":
                return breakIt();
            default:
                return "what?";
        }
    }
}
