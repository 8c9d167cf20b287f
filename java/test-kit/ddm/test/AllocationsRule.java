package ddm.test;

import java.lang.reflect.Method;
import org.junit.rules.TestRule;
import org.junit.runner.Description;
import org.junit.runners.model.Statement;

/**
 * Holds the tests of JUnit 4 to their limits:
 * {@code @Rule public final AllocationsRule allocations = new AllocationsRule();}.
 */
public final class AllocationsRule implements TestRule {
    /** One for each test, as JUnit makes them. */
    public AllocationsRule() {
    }

    @Override
    public Statement apply(Statement base, Description description) {
        Method method = method(description);
        if (method == null) {
            return base;
        }
        String name = TestNames.clean(description.getClassName() + "." + description.getMethodName());
        return new Statement() {
            @Override
            public void evaluate() throws Throwable {
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
                parameters < 0 ? name : name.substring(0, parameters));
    }
}
