package ddm.test;

import java.lang.reflect.Method;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.rules.TestRule;
import org.junit.runner.Description;
import org.junit.runners.model.Statement;

/**
 * Holds the tests of JUnit 4 to their limits:
 * {@code @Rule public final AllocationsRule allocations = new AllocationsRule();}.
 */
public final class AllocationsRule implements TestRule {
    /** By the name of a test: whether it has come to its end, where its limits are looked at. */
    private static final Map<String, Boolean> HELD = new ConcurrentHashMap<>();

    /** One for each test, as JUnit makes them. */
    public AllocationsRule() {
    }

    @Override
    public Statement apply(Statement base, Description description) {
        Method method = method(description);
        if (method == null) {
            return base;
        }
        String name = name(description);
        return new Statement() {
            @Override
            public void evaluate() throws Throwable {
                HELD.put(name, false);
                LimitedTest.run(method, description.getTestClass(), name, base::evaluate,
                        base::evaluate);
                HELD.put(name, true);
            }
        };
    }

    /** Null: the test is not a method. */
    static Method method(Description description) {
        String name = description.getMethodName();
        if (name == null || description.getTestClass() == null) {
            return null;
        }
        int parameters = name.indexOf('[');
        return TestMethods.find(description.getTestClass(),
                parameters < 0 ? name : name.substring(0, parameters), null);
    }

    /** JUnit 4's own name of the method has the number of its parameters. */
    static String name(Description description) {
        return TestNames.clean(description.getClassName() + "." + description.getMethodName());
    }

    /** Why the limits of a test that has passed were not looked at; null: they were. */
    static String unheld(Class<?> testClass, Method method, String name) {
        Limits limits = Limits.of(method, testClass);
        Boolean held = HELD.get(name);
        if (limits == null || !limits.limited || Boolean.TRUE.equals(held)) {
            return null;
        }
        return name + " is not held to its limits: " + (held == null ? "its class has no AllocationsRule"
                : "it has thrown, and a rule around the AllocationsRule caught that");
    }
}
