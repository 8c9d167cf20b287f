package com.google.monitoring.runtime.instrumentation;

/** Is told of each object that the program makes; see {@link AllocationRecorder#addSampler}. */
public interface Sampler {
    /**
     * Called on the thread that has made the object, once it is complete. What it allocates itself is
     * told to nobody, and what it throws is dropped.
     *
     * @param count  elements of an array; -1: it is none
     * @param desc   internal name of the class ({@code java/lang/String}), of an array that of its
     *               elements ({@code int}, {@code java/lang/String}, {@code [I})
     * @param newObj the object
     * @param size   its exact shallow size in bytes
     */
    void sampleAllocation(int count, String desc, Object newObj, long size);
}
