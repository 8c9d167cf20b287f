package com.google.monitoring.runtime.instrumentation;

import java.lang.reflect.Array;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Who is told of what. Lists are replaced and never changed: threads read them without a lock, in the
 * middle of anything, and nothing here may wait.
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
        Sampler[] more = new Sampler[samplers.length + 1];
        System.arraycopy(samplers, 0, more, 0, samplers.length);
        more[samplers.length] = sampler;
        NAMES.get(Object.class);
        samplers = more;
        AgentLink.listenOrThrow();
    }

    static synchronized void remove(Sampler sampler) {
        AgentLink.settleIfThere();
        List<Sampler> left = new ArrayList<>();
        for (Sampler one : samplers) {
            if (one != sampler) {
                left.add(one);
            }
        }
        samplers = left.toArray(new Sampler[0]);
        if (samplers.length == 0 && callbacks.isEmpty()) {
            AgentLink.ignoreIfThere();
        }
    }

    static synchronized void add(Class<?> type, ConstructorCallback<?> callback) {
        Map<Class<?>, List<ConstructorCallback<?>>> more = new HashMap<>(callbacks);
        List<ConstructorCallback<?>> all = new ArrayList<>(more.getOrDefault(type, List.of()));
        all.add(callback);
        more.put(type, all);
        callbacks = more;
        AgentLink.listenOrThrow();
    }

    /** A class without callbacks of its own has those of the nearest class above it that has some. */
    static void tellOfSubclasses() {
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

    /** On the thread that has made it. */
    static void tell(Object object, long size) {
        Class<?> type = object.getClass();
        Sampler[] all = samplers;
        if (all.length > 0) {
            int count = type.isArray() ? Array.getLength(object) : -1;
            String name = NAMES.get(type);
            for (Sampler sampler : all) {
                sampler.sampleAllocation(count, name, object, size);
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
        callback.sample((T) object);
    }
}
