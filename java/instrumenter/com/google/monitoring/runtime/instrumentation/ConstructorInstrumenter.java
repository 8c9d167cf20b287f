package com.google.monitoring.runtime.instrumentation;

import java.lang.instrument.UnmodifiableClassException;

/** Notifies callbacks of the objects of single classes. */
public class ConstructorInstrumenter {
    private ConstructorInstrumenter() {
    }

    /**
     * Adds a callback, which is notified once of every object of exactly this class, however it is
     * created and however many constructors call each other; with the agent's argument
     * "subclassesAlso" also of objects of subclasses that have no callback of their own.
     *
     * @throws UnmodifiableClassException if objects of this class cannot be reported
     */
    public static void instrumentClass(Class<?> c, ConstructorCallback<?> sampler)
            throws UnmodifiableClassException {
        if (c.isInterface() || c.isArray() || c.isPrimitive()) {
            throw new UnmodifiableClassException(c.getName() + " has no constructors");
        }
        Listeners.add(c, sampler);
    }
}
