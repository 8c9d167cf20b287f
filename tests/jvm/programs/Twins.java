import java.io.File;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;

/** Loads a class Twin from each of the directories given and runs them 100 times in turns. */
public class Twins {
    public static void main(String[] args) throws Exception {
        Method[] runs = new Method[args.length];
        for (int i = 0; i < args.length; i++) {
            URL place = new File(args[i]).toURI().toURL();
            runs[i] = new URLClassLoader(new URL[] {place}).loadClass("Twin").getMethod("run");
        }
        for (int i = 0; i < 100; i++) {
            for (Method run : runs) run.invoke(null);
        }
    }
}
