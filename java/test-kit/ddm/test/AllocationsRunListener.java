package ddm.test;

import java.lang.reflect.Method;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.runner.Description;
import org.junit.runner.Result;
import org.junit.runner.notification.Failure;
import org.junit.runner.notification.RunListener;

/**
 * Like {@link AllocationsListener}, for JUnit 4 without the Platform, where the runner must be
 * given its name.
 */
@RunListener.ThreadSafe
public final class AllocationsRunListener extends RunListener {
    private final Map<Description, Long> open = new ConcurrentHashMap<>();
    private final Ledger ledger = Ledger.instance();
    private boolean counts;

    /** For runners that load it by name. */
    public AllocationsRunListener() {
    }

    @Override
    public void testRunStarted(Description all) {
        counts = ledger.wanted() && AgentLink.counts();
        AgentLink.require();
        if (ledger.wanted() && !counts) {
            System.err.println(AgentLink.problem());
        }
    }

    @Override
    public void testStarted(Description test) {
        Method method = counts ? AllocationsRule.method(test) : null;
        if (method != null) {
            open.put(test, AgentLink.begin(AgentLink.BELOW_METHOD,
                    method.getDeclaringClass().getName(), method.getName(), false));
        }
    }

    @Override
    public void testFailure(Failure failure) {
        drop(failure.getDescription());
    }

    @Override
    public void testAssumptionFailure(Failure failure) {
        drop(failure.getDescription());
    }

    private void drop(Description test) {
        Long scope = open.remove(test);
        if (scope != null) {
            AgentLink.drop(scope);
        }
    }

    @Override
    public void testFinished(Description test) {
        Long scope = open.remove(test);
        if (scope != null) {
            AgentLink.end(scope);
            String name = AllocationsRule.name(test);
            ledger.add(name, scope);
            String unheld = AllocationsRule.unheld(test.getTestClass(), AllocationsRule.method(test), name);
            if (unheld != null) {
                throw new IllegalStateException(unheld);  // JUnit's failure of the run, the test has passed
            }
        }
    }

    @Override
    public void testRunFinished(Result result) {
        if (counts) {
            ledger.write();
        }
    }
}
