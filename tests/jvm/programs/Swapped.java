import java.io.BufferedReader;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.lang.instrument.ClassDefinition;
import java.lang.instrument.Instrumentation;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * A Java agent and its program. For each line it answers with what Swapped$Part says: "swap WORD"
 * redefines the class first, so that it says this word of five letters; "refused WORD" tries that
 * together with a change of another class, which the VM does not allow.
 */
public class Swapped {
    static class Part {
        static String word() { return "first"; }
    }

    static class Other {
        static void spare() { }
    }

    static Instrumentation instrumentation;

    public static void premain(String arguments, Instrumentation given) { instrumentation = given; }

    static ClassDefinition changed(Class<?> type, String from, String to) throws Exception {
        try (InputStream in = type.getResourceAsStream("/" + type.getName() + ".class")) {
            String file = new String(in.readAllBytes(), StandardCharsets.ISO_8859_1);
            return new ClassDefinition(type, file.replace(from, to).getBytes(StandardCharsets.ISO_8859_1));
        }
    }

    public static void main(String[] args) throws Exception {
        Other.spare();
        System.out.println("ready");
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        for (String line; (line = in.readLine()) != null; ) {
            String[] words = line.split(" ");
            List<ClassDefinition> wanted = new ArrayList<>();
            if (words.length == 2) wanted.add(changed(Part.class, "first", words[1]));
            if (words[0].equals("refused")) wanted.add(changed(Other.class, "spare", "other"));
            try {
                if (!wanted.isEmpty()) instrumentation.redefineClasses(wanted.toArray(new ClassDefinition[0]));
            } catch (UnsupportedOperationException expected) {
                if (!words[0].equals("refused")) throw expected;
            }
            System.out.println(Part.word());
        }
    }
}
