package ddm.test;

import java.lang.reflect.Method;
import java.util.List;
import org.junit.rules.TestRule;
import org.junit.runner.Description;
import org.junit.runners.model.Statement;

/**
 * Holds the tests of JUnit 4 to their limits:
 * {@code @Rule public final AllocationsRule allocations = new AllocationsRule();}.
 */
public final class AllocationsRule implements TestRule {
    static final String MISSING = "its class has no AllocationsRule";

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
                LimitedTest.run(method, List.of(description.getTestClass()), name, base::evaluate,
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
        Class<?> testClass = description.getTestClass();
        Method method = TestMethods.find(testClass, name.split("\\[", 2)[0], null);
        if (method != null) {
            return method;
        }
        return TestMethods.find(testClass, name.split("\\(", 2)[0].trim(), null);  // of JUnitParams
    }

    /** JUnit 4's own name of the method has the number of its parameters. */
    static String name(Description description) {
        return TestNames.clean(description.getClassName() + "." + description.getMethodName());
    }

    /** Why the limits of a test that has passed were not looked at; null: they were. */
    static String unheld(Description description) {
        return LimitedTest.unheld(method(description), List.of(description.getTestClass()),
                name(description), MISSING);
    }
}
