package com.google.monitoring.runtime.instrumentation;

import java.lang.instrument.Instrumentation;

/** What {@code -javaagent:} starts: the agent is there from main() on, and counts nothing yet. */
public class AllocationInstrumenter {
    private AllocationInstrumenter() {
    }

    /** The agent's arguments are accepted and not needed. */
    public static void premain(String agentArgs, Instrumentation instrumentation) {
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
