package com.google.monitoring.runtime.instrumentation;

/** Notifies samplers of every object that the program allocates, on all threads. */
public class AllocationRecorder {
    /** All methods are static; public since users of the original may have created one. */
    public AllocationRecorder() {
    }

    /**
     * Adds a sampler, which is notified from now on. Samplers are called in the order in which they
     * were added.
     *
     * @throws IllegalStateException if the agent is missing; names the JVM argument to add
     */
    public static void addSampler(Sampler sampler) {
        Listeners.add(sampler);
    }

    /** Removes a sampler, after it was notified of this thread's pending objects. */
    public static void removeSampler(Sampler sampler) {
        Listeners.remove(sampler);
    }
}
