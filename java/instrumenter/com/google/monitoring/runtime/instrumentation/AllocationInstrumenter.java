package com.google.monitoring.runtime.instrumentation;

import java.lang.instrument.Instrumentation;
import java.util.Arrays;

/** The entry of {@code -javaagent:}: loads the agent before main(), without counting yet. */
public class AllocationInstrumenter {
    private AllocationInstrumenter() {
    }

    /**
     * Of the original's arguments, "subclassesAlso" is supported. "manualOnly" has no effect: no
     * class is rewritten before there is a listener.
     */
    public static void premain(String agentArgs, Instrumentation instrumentation) {
        if (agentArgs != null && Arrays.asList(agentArgs.split(",")).contains("subclassesAlso")) {
            Listeners.includeSubclasses();
        }
        try {
            AgentLink.prepareOrThrow();
        } catch (IllegalStateException failure) {
            System.err.println("ddm-instrumenter.jar: " + failure.getMessage());
        }
    }

    /** The same when attached to a running JVM. */
    public static void agentmain(String agentArgs, Instrumentation instrumentation) {
        premain(agentArgs, instrumentation);
    }
}
