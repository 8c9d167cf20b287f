package ddm.test;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Names of tests as in baselines: {@code package.Class.method}, {@code [2]} for a repetition. */
final class TestNames {
    private static final Pattern NUMBER = Pattern.compile(":#(\\d+)\\]");

    private TestNames() {
    }

    /** The numbers are those in the JUnit Platform's unique id, the outermost first. */
    static String of(String className, String method, String uniqueId) {
        StringBuilder name = new StringBuilder(className).append('.').append(method);
        Matcher numbers = NUMBER.matcher(uniqueId);
        while (numbers.find()) {
            name.append('[').append(numbers.group(1)).append(']');
        }
        return clean(name.toString());
    }

    /** Without line ends and tabs, which separate lines and fields. */
    static String clean(String name) {
        return name.replaceAll("\\p{Cntrl}", " ").trim();
    }
}
