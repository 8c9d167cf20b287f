package com.google.monitoring.runtime.instrumentation;

/**
 * Is notified of each object that the program allocates; see {@link AllocationRecorder#addSampler}.
 */
public interface Sampler {
    /**
     * Called on the allocating thread, once the object is complete. Its own allocations are not
     * reported, and its exceptions are dropped.
     *
     * @param count  length of an array; -1: not an array
     * @param desc   internal name of the class ({@code java/lang/String}), of an array that of its
     *               elements ({@code int}, {@code java/lang/String}, {@code [I})
     * @param newObj the object
     * @param size   its exact shallow size in bytes
     */
    void sampleAllocation(int count, String desc, Object newObj, long size);
}
