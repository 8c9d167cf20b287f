package com.google.monitoring.runtime.instrumentation;

import java.util.function.Supplier;

/**
 * The way to the agent. Its natives are found in the agent's library by name, and are known to
 * agent/adapters/instrumenter.
 */
final class AgentLink {
    private AgentLink() {
    }

    /** Classes that are loaded later are ready for listeners; and those that are there, unless they run. */
    static void prepareOrThrow() {
        call(AgentLink::prepare);
    }

    static void listenOrThrow() {
        call(AgentLink::listen);
    }

    private static void call(Supplier<String> ask) {
        String whyNot;
        try {
            whyNot = ask.get();
        } catch (UnsatisfiedLinkError absent) {
            AgentLibrary.load();
            whyNot = ask.get();
        }
        if (whyNot != null) {
            throw new IllegalStateException("allocations are not told: " + whyNot);
        }
    }

    static void settleIfThere() {
        try {
            settle();
        } catch (UnsatisfiedLinkError absent) {
            // Then nothing waits.
        }
    }

    static void ignoreIfThere() {
        try {
            ignore();
        } catch (UnsatisfiedLinkError absent) {
            // Then nothing is told.
        }
    }

    /** From the agent: this object is complete. */
    static void allocated(Object object, long size) {
        Listeners.tell(object, size);
    }

    /** Null: listen() will miss no method that is running; else why it will never work. */
    private static native String prepare();

    /** Null: allocated() is called from now on; else why not. */
    private static native String listen();

    /** Calls allocated() for all that this thread has made and that has not been told yet. */
    private static native void settle();

    /** allocated() is called no more. */
    private static native void ignore();
}
