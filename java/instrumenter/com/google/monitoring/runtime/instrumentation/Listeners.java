package com.google.monitoring.runtime.instrumentation;

import java.lang.reflect.Array;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The registered samplers and callbacks. Lists are copied on write: threads read them without a
 * lock, at any allocation, so that nothing here may block.
 */
final class Listeners {
    private static volatile Sampler[] samplers = {};
    private static volatile Map<Class<?>, List<ConstructorCallback<?>>> callbacks = new HashMap<>();
    private static volatile boolean subclassesAlso;

    private static final ClassValue<String> NAMES = new ClassValue<String>() {
        @Override
        protected String computeValue(Class<?> type) {
            Class<?> named = type.isArray() ? type.getComponentType() : type;
            return named.getName().replace('.', '/');
        }
    };

    private Listeners() {
    }

    static synchronized void add(Sampler sampler) {
        Sampler[] before = samplers;
        Sampler[] extended = Arrays.copyOf(before, before.length + 1);
        extended[before.length] = sampler;
        NAMES.get(Object.class);
        samplers = extended;  // first: events may come at once
        try {
            AgentLink.listenOrThrow();
        } catch (RuntimeException | Error refused) {
            samplers = before;
            throw refused;
        }
    }

    static void remove(Sampler sampler) {
        AgentLink.settleIfLoaded();  // calls samplers, which may wait for threads that need the lock
        removeSettled(sampler);
    }

    private static synchronized void removeSettled(Sampler sampler) {
        List<Sampler> remaining = new ArrayList<>();
        for (Sampler one : samplers) {
            if (one != sampler) {
                remaining.add(one);
            }
        }
        samplers = remaining.toArray(new Sampler[0]);
        if (samplers.length == 0 && callbacks.isEmpty()) {
            AgentLink.ignoreIfLoaded();
        }
    }

    static synchronized void add(Class<?> type, ConstructorCallback<?> callback) {
        Map<Class<?>, List<ConstructorCallback<?>>> before = callbacks;
        Map<Class<?>, List<ConstructorCallback<?>>> extended = new HashMap<>(before);
        List<ConstructorCallback<?>> all = new ArrayList<>(extended.getOrDefault(type, List.of()));
        all.add(callback);
        extended.put(type, all);
        callbacks = extended;
        try {
            AgentLink.listenOrThrow();
        } catch (RuntimeException | Error refused) {
            callbacks = before;
            throw refused;
        }
    }

    /**
     * A class without callbacks of its own then uses those of its nearest superclass that has some.
     */
    static void includeSubclasses() {
        subclassesAlso = true;
    }

    private static List<ConstructorCallback<?>> callbacksOf(Class<?> type) {
        List<ConstructorCallback<?>> found = callbacks.get(type);
        while (found == null && subclassesAlso && type.getSuperclass() != null) {
            type = type.getSuperclass();
            found = callbacks.get(type);
        }
        return found;
    }

    /** Called on the allocating thread. */
    static void deliver(Object object, long size) {
        Class<?> type = object.getClass();
        Sampler[] all = samplers;
        if (all.length > 0) {
            int count = type.isArray() ? Array.getLength(object) : -1;
            String name = NAMES.get(type);
            for (Sampler sampler : all) {
                try {
                    sampler.sampleAllocation(count, name, object, size);
                } catch (Throwable dropped) {
                    // The other listeners hear of the object all the same.
                }
            }
        }
        List<ConstructorCallback<?>> wanted = callbacksOf(type);
        if (wanted != null) {
            for (int i = 0; i < wanted.size(); ++i) {
                call(wanted.get(i), object);
            }
        }
    }

    @SuppressWarnings("unchecked")
    private static <T> void call(ConstructorCallback<T> callback, Object object) {
        try {
            callback.sample((T) object);
        } catch (Throwable dropped) {
            // As in deliver().
        }
    }
}
