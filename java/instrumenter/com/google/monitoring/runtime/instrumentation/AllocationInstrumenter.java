package com.google.monitoring.runtime.instrumentation;

import java.lang.instrument.Instrumentation;
import java.util.Arrays;

/** What {@code -javaagent:} starts: the agent is there from main() on, and counts nothing yet. */
public class AllocationInstrumenter {
    private AllocationInstrumenter() {
    }

    /**
     * Of the original's arguments "subclassesAlso" is heeded. "manualOnly" has nothing to do here: no class is
     * rewritten before somebody listens.
     */
    public static void premain(String agentArgs, Instrumentation instrumentation) {
        if (agentArgs != null && Arrays.asList(agentArgs.split(",")).contains("subclassesAlso")) {
            Listeners.tellOfSubclasses();
        }
        try {
            AgentLink.prepareOrThrow();
        } catch (IllegalStateException failure) {
            System.err.println("ddm-instrumenter.jar: " + failure.getMessage());
        }
    }

    /** The same in a JVM that runs already. */
    public static void agentmain(String agentArgs, Instrumentation instrumentation) {
        premain(agentArgs, instrumentation);
    }
}
