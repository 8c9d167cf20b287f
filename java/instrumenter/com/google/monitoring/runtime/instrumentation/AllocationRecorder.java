package com.google.monitoring.runtime.instrumentation;

/** Tells samplers of every object that the program makes, on all threads. */
public class AllocationRecorder {
    /** All of it is static; users of the original may have made one. */
    public AllocationRecorder() {
    }

    /**
     * From now on this sampler is told, too. Samplers are called in the order in which they came.
     *
     * @throws IllegalStateException if the agent is not there, with what to add
     */
    public static void addSampler(Sampler sampler) {
        Listeners.add(sampler);
    }

    /** It is told no more; what this thread has made before is told first. */
    public static void removeSampler(Sampler sampler) {
        Listeners.remove(sampler);
    }
}
