package ddm.test;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Names of tests as in baselines: {@code package.Class.method}, with the types of its parameters if
 * there are others of that name, {@code put(int)}, and {@code [2]} for a repetition. A name does not
 * depend on when its test ends, so that parallel tests keep theirs.
 */
final class TestNames {
    private static final Pattern NUMBER = Pattern.compile(":#(\\d+)\\]");

    private TestNames() {
    }

    static String of(Class<?> testClass, Method method) {
        String parameters = !TestMethods.isOverloaded(testClass, method) ? ""
                : Arrays.stream(method.getParameterTypes()).map(Class::getTypeName)
                        .collect(Collectors.joining(",", "(", ")"));
        return clean(testClass.getName() + "." + method.getName() + parameters);
    }

    /** The numbers are those in the JUnit Platform's unique id, the outermost first. */
    static String numbered(String name, String uniqueId) {
        StringBuilder text = new StringBuilder(name);
        Matcher numbers = NUMBER.matcher(uniqueId);
        while (numbers.find()) {
            text.append('[').append(numbers.group(1)).append(']');
        }
        return text.toString();
    }

    /** Without line ends and tabs, which separate lines and fields. */
    static String clean(String name) {
        return name.replaceAll("\\p{Cntrl}", " ").trim();
    }
}
