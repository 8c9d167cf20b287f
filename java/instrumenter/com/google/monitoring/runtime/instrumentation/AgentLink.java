package com.google.monitoring.runtime.instrumentation;

import java.util.function.Supplier;

/**
 * The connection to the agent. The natives are found in the agent's library by name; they are in
 * agent/adapters/instrumenter.
 */
final class AgentLink {
    private AgentLink() {
    }

    /**
     * Instruments classes that are loaded later, and loaded classes unless their methods are
     * running.
     */
    static void prepareOrThrow() {
        call(AgentLink::prepare);
    }

    static void listenOrThrow() {
        call(AgentLink::listen);
    }

    private static void call(Supplier<String> nativeCall) {
        String problem;
        try {
            problem = nativeCall.get();
        } catch (UnsatisfiedLinkError absent) {
            AgentLibrary.load();
            problem = nativeCall.get();
        }
        if (problem != null) {
            throw new IllegalStateException("allocations are not told: " + problem);
        }
    }

    static void settleIfLoaded() {
        try {
            settle();
        } catch (UnsatisfiedLinkError absent) {
            // Without the agent no object is pending.
        }
    }

    static void ignoreIfLoaded() {
        try {
            ignore();
        } catch (UnsatisfiedLinkError absent) {
            // Without the agent no object is reported.
        }
    }

    /** From the agent: this object is complete. */
    static void allocated(Object object, long size) {
        Listeners.deliver(object, size);
    }

    /** Null: listen() will miss no running method; else why it cannot work. */
    private static native String prepare();

    /** Null: allocated() is called from now on; else why not. */
    private static native String listen();

    /** Calls allocated() for all objects of this thread that are still pending. */
    private static native void settle();

    /** Ends the calls of allocated(). */
    private static native void ignore();
}
