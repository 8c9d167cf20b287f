package com.google.monitoring.runtime.instrumentation;

import java.lang.instrument.UnmodifiableClassException;

/** Tells callbacks of the objects of single classes. */
public class ConstructorInstrumenter {
    private ConstructorInstrumenter() {
    }

    /**
     * From now on the callback is told of every object of exactly this class, once, whatever made it
     * and however many constructors call each other; with the agent's argument "subclassesAlso" also of
     * those of its subclasses that have no callback of their own.
     *
     * @throws UnmodifiableClassException if nothing can be told of this class
     */
    public static void instrumentClass(Class<?> c, ConstructorCallback<?> sampler)
            throws UnmodifiableClassException {
        if (c.isInterface() || c.isArray() || c.isPrimitive()) {
            throw new UnmodifiableClassException(c.getName() + " has no constructors");
        }
        Listeners.add(c, sampler);
    }
}
