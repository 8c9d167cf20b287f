package ddm.test;

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
 * <p>System properties: {@code ddm.allocations=PATH} (allocations.txt; {@code off}: nothing is
 * counted), {@code ddm.required=true} (tests do not run without the agent).
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
            System.err.println(AgentLink.problem());
        }
    }

    @Override
    public void executionStarted(TestIdentifier test) {
        if (!counts) {
            return;
        }
        long scope;
        if (!test.isTest()) {
            scope = AgentLink.begin(AgentLink.NOTHING, "", "", false);
        } else if (method(test) != null && !isDynamic(test)) {
            MethodSource source = method(test);
            String declaring = TestMethods.declaringClass(source.getClassName(),
                    source.getMethodName());
            scope = AgentLink.begin(AgentLink.BELOW_METHOD, declaring,
                    source.getMethodName(), false);
        } else {
            scope = AgentLink.begin(AgentLink.PROGRAM, "", "", false);
        }
        open.put(test.getUniqueId(), scope);
    }

    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
        Long scope = open.remove(test.getUniqueId());
        if (scope == null) {
            return;
        }
        AgentLink.end(scope);
        // The figures of a test that was cut short cannot be compared.
        if (test.isTest() && result.getStatus() == TestExecutionResult.Status.SUCCESSFUL) {
            ledger.add(name(test), scope);
        } else {
            AgentLink.take(scope, 0, 0);
        }
    }

    @Override
    public void testPlanExecutionFinished(TestPlan testPlan) {
        if (counts) {
            ledger.write();
        }
    }

    /** Null: the test is not a method. */
    private static MethodSource method(TestIdentifier test) {
        return test.getSource().orElse(null) instanceof MethodSource method ? method : null;
    }

    /** A dynamic test runs when the method that created it has returned. */
    private static boolean isDynamic(TestIdentifier test) {
        return test.getUniqueId().contains("[dynamic-test:");
    }

    private String name(TestIdentifier test) {
        MethodSource source = method(test);
        for (TestIdentifier at = test; source == null && at != null; at = parent(at)) {
            source = method(at);
            if (source == null && at.getSource().orElse(null) instanceof ClassSource of) {
                return TestNames.clean(of.getClassName() + "." + test.getDisplayName());
            }
        }
        return source == null ? TestNames.clean(test.getUniqueId())
                : TestNames.of(source.getClassName(), source.getMethodName(), test.getUniqueId());
    }

    private TestIdentifier parent(TestIdentifier test) {
        return plan.getParent(test).orElse(null);
    }
}
