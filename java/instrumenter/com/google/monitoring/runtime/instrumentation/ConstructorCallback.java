package com.google.monitoring.runtime.instrumentation;

/** Is notified of each object of one class; see {@link ConstructorInstrumenter}. */
public interface ConstructorCallback<T> {
    /** Called on the allocating thread, once the object is complete. */
    void sample(T newObj);
}
