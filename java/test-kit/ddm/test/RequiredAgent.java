package ddm.test;

import org.junit.platform.engine.FilterResult;
import org.junit.platform.engine.TestDescriptor;
import org.junit.platform.launcher.PostDiscoveryFilter;

/**
 * With {@code ddm.required=true} no test runs without the agent. A listener cannot say so, since the
 * Platform goes on when one throws; a filter that throws ends the run.
 */
public final class RequiredAgent implements PostDiscoveryFilter {
    /** For the ServiceLoader. */
    public RequiredAgent() {
    }

    @Override
    public FilterResult apply(TestDescriptor test) {
        if (AgentLink.required()) {
            AgentLink.require();
        }
        return FilterResult.included("");
    }
}
