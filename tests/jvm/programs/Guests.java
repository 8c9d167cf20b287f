import java.io.File;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.net.URLConnection;
import java.net.URLStreamHandler;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;

/**
 * What Instrumented does beside its own: "code CLASS" says what the VM runs (with the agent of
 * tests/jvm/patch). "load WHO DIR CLASS" loads and links a guest, "alone": with a loader that knows
 * nothing else, "slow": with one of the program's own that says nothing of Sink until "answer", "far":
 * with one that looks at a place that says nothing until then, "unlinked": only loads it.
 * "also CLASS WHO" another one by the same loader, "call WHO METHOD" calls it, "drop" lets go of all.
 * "fill N" adds to collections of the JDK, "thread N" runs twice() N times on a thread of its own and tells its id, "broken" makes
 * Instrumented.Broken fail.
 */
final class Guests {
    private static final Map<String, Class<?>> ALL = new HashMap<>();

    private Guests() {
    }

    static final CountDownLatch ANSWERS = new CountDownLatch(1);

    private static void waitForAnswer() {
        while (ANSWERS.getCount() > 0) {
            try {
                ANSWERS.await();
            } catch (InterruptedException e) {
                // it is stubborn
            }
        }
    }

    /** Keeps whoever asks for a Sink waiting. */
    private static final class SlowLoader extends URLClassLoader {
        SlowLoader(URL[] where) {
            super(where, null);
        }

        @Override protected Class<?> loadClass(String name, boolean resolve)
                throws ClassNotFoundException {
            if (name.equals("Sink")) {
                waitForAnswer();
            }
            return super.loadClass(name, resolve);
        }
    }

    /** A place that answers late, and has nothing. */
    private static URL slowPlace() throws Exception {
        return new URL(null, "slow:/nothing/", new URLStreamHandler() {
            @Override protected URLConnection openConnection(URL url) throws IOException {
                waitForAnswer();
                throw new IOException("nothing");
            }
        });
    }

    /** Linked, but for "unlinked", and not initialised. */
    private static void load(String who, String dir, String name, String how) throws Exception {
        ClassLoader parent = how.equals("alone") || how.equals("far") ? null : Guests.class.getClassLoader();
        URL place = new File(dir).toURI().toURL();
        URL[] where = how.equals("far") ? new URL[] {place, slowPlace()} : new URL[] {place};
        ClassLoader loader =
                how.equals("slow") ? new SlowLoader(where) : new URLClassLoader(where, parent);
        if (how.equals("unlinked")) {
            ALL.put(who, Class.forName(name, false, loader));
        } else {
            add(who, name, loader);
        }
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
                load(words[1], words[2], words[3], words.length > 4 ? words[4] : "");
                return "loaded";
            case "answer":
                ANSWERS.countDown();
                return "answers";
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
