package ddm.test;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;

/**
 * Writes the allocations of each test of a JUnit Platform run, in its method and on the threads
 * that it starts. The Platform finds it by the ServiceLoader.
 *
 * <p>System properties: {@code ddm.allocations=PATH} (allocations.txt; %p: the pid; {@code off}:
 * only tests with limits are measured), {@code ddm.required=true} (tests do not run without the
 * agent).
 */
public final class AllocationsListener implements TestExecutionListener {
    private final Map<String, Long> open = new ConcurrentHashMap<>();
    private final Ledger ledger = Ledger.instance();
    private TestPlan plan;
    private boolean counts;

    /** For the ServiceLoader. */
    public AllocationsListener() {
    }

    @Override
    public void testPlanExecutionStarted(TestPlan testPlan) {
        plan = testPlan;
        counts = ledger.wanted() && AgentLink.counts();
        if (ledger.wanted() && !counts) {
            AgentLink.tell(AgentLink.problem());
        }
    }

    @Override
    public void executionStarted(TestIdentifier test) {
        if (!counts || isOfTestNg(test)) {
            return;
        }
        long scope;
        if (!test.isTest()) {
            scope = AgentLink.begin(AgentLink.NOTHING, "", "", false);
        } else if (source(test) != null && !isDynamic(test)) {
            MethodSource source = source(test);
            Method method = method(source);
            scope = AgentLink.begin(AgentLink.BELOW_METHOD, method == null ? source.getClassName()
                    : method.getDeclaringClass().getName(), source.getMethodName(), false);
        } else {
            scope = AgentLink.begin(AgentLink.PROGRAM, "", "", false);
        }
        open.put(test.getUniqueId(), scope);
    }

    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
        Long scope = open.remove(test.getUniqueId());
        // The figures of a test that was cut short cannot be compared.
        boolean passed = test.isTest()
                && result.getStatus() == TestExecutionResult.Status.SUCCESSFUL;
        if (scope != null) {
            AgentLink.end(scope);
            if (passed) {
                ledger.add(name(test), scope);
            } else {
                AgentLink.take(scope, 0, 0);
            }
        }
        if (passed && (scope != null || !ledger.wanted()) && !isOfTestNg(test)) {
            lookForUnheld(test);
        }
    }

    /** A listener cannot make a test fail, but its list can be none to compare. */
    private void lookForUnheld(TestIdentifier test) {
        TestIdentifier factory = test;
        while (factory.getUniqueId().contains("[dynamic-")) {
            factory = parent(factory);
        }
        // A dynamic test may name another method as its source.
        Method method = source(test) == null || !source(test).equals(source(factory)) ? null
                : method(source(test));
        if (method == null) {
            return;
        }
        List<Class<?>> classes = classes(test);
        String unheld = LimitedTest.unheld(method, classes, name(test), isOfJunit4(test)
                ? AllocationsRule.MISSING : "no AllocationsExtension has run it");
        String misplaced = Places.misplaced(classes.get(0));
        if (unheld != null || !misplaced.isEmpty()) {
            ledger.addGap(unheld != null ? unheld : misplaced);
        }
    }

    @Override
    public void testPlanExecutionFinished(TestPlan testPlan) {
        if (counts) {
            ledger.write();
        }
        RoomyLimits.tell();
    }

    /** Null: the test is not a method. */
    private static MethodSource source(TestIdentifier test) {
        return test.getSource().orElse(null) instanceof MethodSource method ? method : null;
    }

    /** Null: it is not found. */
    private static Method method(MethodSource source) {
        Class<?> testClass = TestMethods.classOf(source.getClassName());
        return testClass == null ? null : TestMethods.find(testClass, source.getMethodName(),
                source.getMethodParameterTypes());
    }

    /** A dynamic test runs when the method that created it has returned. */
    private static boolean isDynamic(TestIdentifier test) {
        return test.getUniqueId().contains("[dynamic-test:");
    }

    private String name(TestIdentifier test) {
        for (TestIdentifier at = test; at != null; at = parent(at)) {
            if (source(at) != null) {
                return isOfJunit4(test) ? named(source(at).getClassName(), test)
                        : TestNames.numbered(nameOfMethod(at), test.getUniqueId());
            }
            if (at.getSource().orElse(null) instanceof ClassSource of) {
                return named(of.getClassName(), test);
            }
        }
        return TestNames.clean(test.getUniqueId());
    }

    private String nameOfMethod(TestIdentifier test) {
        MethodSource source = source(test);
        Method method = method(source);
        return method != null ? TestNames.of(classes(test), method)
                : TestNames.clean(source.getClassName() + "." + source.getMethodName());
    }

    /** The class of a method that was found, then those that it is {@code @Nested} in. */
    private List<Class<?>> classes(TestIdentifier test) {
        List<Class<?>> around = new ArrayList<>();
        around.add(TestMethods.classOf(source(test).getClassName()));
        for (TestIdentifier at = parent(test); at != null; at = parent(at)) {
            Class<?> type = at.getSource().orElse(null) instanceof ClassSource of
                    ? TestMethods.classOf(of.getClassName()) : null;
            if (type != null) {
                around.add(type);
            }
        }
        return TestMethods.nest(around);
    }

    private static String named(String className, TestIdentifier test) {
        return TestNames.clean(className + "." + test.getDisplayName());
    }

    /**
     * The display name of such a test is its method's, with the number of its parameters. The engine
     * may itself be within the one of suites.
     */
    private static boolean isOfJunit4(TestIdentifier test) {
        return test.getUniqueId().contains("[engine:junit-vintage]");
    }

    /** TestNG's own listener is there, too, below its engine. */
    private static boolean isOfTestNg(TestIdentifier test) {
        return test.getUniqueId().contains("[engine:testng]");
    }

    private TestIdentifier parent(TestIdentifier test) {
        return plan.getParent(test).orElse(null);
    }
}
