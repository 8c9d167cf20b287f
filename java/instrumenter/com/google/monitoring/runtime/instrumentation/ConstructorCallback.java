package com.google.monitoring.runtime.instrumentation;

/** Is told of each object of one class; see {@link ConstructorInstrumenter}. */
public interface ConstructorCallback<T> {
    /** Called on the thread that has made the object, once it is complete. */
    void sample(T newObj);
}
