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
    /** The allocations of threads that are started outside of tests are not those of a test. */
    private long around;

    /** For runners that load it by name. */
    public AllocationsRunListener() {
    }

    @Override
    public void testRunStarted(Description all) {
        counts = ledger.wanted() && AgentLink.counts();
        try {
            AgentLink.require();
        } catch (IllegalStateException missing) {
            // JUnit drops a listener that throws an exception, and runs the tests.
            throw new AssertionError(missing.getMessage());
        }
        if (counts) {
            around = AgentLink.begin(AgentLink.NOTHING, "", "", false);
        } else if (ledger.wanted()) {
            AgentLink.tell(AgentLink.problem());
        }
    }

    @Override
    public void testStarted(Description test) {
        Method method = counts || !ledger.wanted() ? AllocationsRule.method(test) : null;
        if (method != null) {
            open.put(test, !counts ? 0L : AgentLink.begin(AgentLink.BELOW_METHOD,
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
        if (scope != null && counts) {
            AgentLink.drop(scope);
        }
    }

    @Override
    public void testFinished(Description test) {
        Long scope = open.remove(test);
        if (scope == null) {
            return;
        }
        if (counts) {
            AgentLink.end(scope);
            ledger.add(AllocationsRule.name(test), scope);
        }
        String unheld = AllocationsRule.unheld(test);
        if (unheld != null && counts) {
            throw new IllegalStateException(unheld);  // a failure of the run: the test has passed
        } else if (unheld != null) {
            ledger.addGap(unheld);
        }
    }

    @Override
    public void testRunFinished(Result result) {
        if (counts) {
            AgentLink.drop(around);
            ledger.write();
        }
        RoomyLimits.tell();
    }
}
