package ddm.test;

import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
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

    /** `classes`: the test's own, then those that it is {@code @Nested} in. */
    static String of(List<Class<?>> classes, Method method) {
        String parameters = !TestMethods.isOverloaded(classes.get(0), method) ? ""
                : Arrays.stream(method.getParameterTypes()).map(Class::getTypeName)
                        .collect(Collectors.joining(",", "(", ")"));
        return clean(className(classes) + "." + method.getName() + parameters);
    }

    /** A nested class that several classes inherit has the name of each. */
    private static String className(List<Class<?>> classes) {
        StringBuilder name = new StringBuilder(classes.get(classes.size() - 1).getName());
        for (int i = classes.size() - 2; i >= 0; --i) {
            Class<?> nested = classes.get(i);
            name.append(nested.getName(), nested.getEnclosingClass().getName().length(),
                    nested.getName().length());
        }
        return name.toString();
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

    /** Without line ends and tabs, which separate lines and fields, and halves of characters. */
    static String clean(String name) {
        String writable = new String(name.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8);
        return writable.replaceAll("\\p{Cntrl}", " ").trim();
    }
}
