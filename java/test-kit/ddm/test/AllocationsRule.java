package ddm.test;

import java.lang.reflect.Method;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.rules.TestRule;
import org.junit.runner.Description;
import org.junit.runners.model.Statement;

/**
 * Holds the tests of JUnit 4 to their limits:
 * {@code @Rule public final AllocationsRule allocations = new AllocationsRule();}.
 */
public final class AllocationsRule implements TestRule {
    /** The names of the tests so far. */
    private static final Set<String> HELD = ConcurrentHashMap.newKeySet();

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
                HELD.add(name);
                LimitedTest.run(method, description.getTestClass(), name, base::evaluate,
                        base::evaluate);
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
        return limits == null || !limits.limited || HELD.contains(name) ? null
                : name + " is not held to its limits: its class has no AllocationsRule";
    }
}
