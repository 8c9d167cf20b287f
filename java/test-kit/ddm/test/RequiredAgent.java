package ddm.test;

import org.junit.platform.engine.FilterResult;
import org.junit.platform.engine.TestDescriptor;
import org.junit.platform.launcher.PostDiscoveryFilter;

/**
 * With {@code ddm.required=true}, ends the run if there is no agent. A listener cannot do that,
 * since the Platform ignores its exceptions; an exception of a filter ends the run.
 */
public final class RequiredAgent implements PostDiscoveryFilter {
    /** For the ServiceLoader. */
    public RequiredAgent() {
    }

    @Override
    public FilterResult apply(TestDescriptor test) {
        AgentLink.require();
        return FilterResult.included("");
    }
}
