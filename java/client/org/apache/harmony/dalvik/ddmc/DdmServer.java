package org.apache.harmony.dalvik.ddmc;

import java.util.Collections;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The program's own chunk types: handlers that answer DDM servers, and chunks to them.
 *
 * <p>Works through libddmagent. Where that is not loaded, nothing happens: no handler is called,
 * and what is sent goes nowhere. If it is loaded later, the handlers registered by then take effect.
 */
public final class DdmServer {
    public static final int CLIENT_PROTOCOL_VERSION = 1;

    private static final int CONNECTED = 1;
    private static final int DISCONNECTED = 2;

    private static final Map<Integer, ChunkHandler> handlers = new ConcurrentHashMap<>();

    /** Those that know of a server. Of the agent's thread for handlers alone. */
    private static final Set<ChunkHandler> connected =
            Collections.newSetFromMap(new IdentityHashMap<>());

    private DdmServer() {
    }

    /**
     * Has {@code handler} answer chunks of this type. The types of the agent itself (HELO and so
     * on) and those that have a handler already are refused with an IllegalStateException. If a
     * server is connected, the handler is told at once.
     */
    public static void registerHandler(int type, ChunkHandler handler) {
        if (handler == null) {
            throw new NullPointerException("handler is null");
        }
        if (handlers.putIfAbsent(type, handler) != null) {
            throw taken(type, "a handler");
        }
        if (!AgentLink.register(type)) {
            handlers.remove(type);
            throw taken(type, "a handler in the agent");
        }
    }

    /** The handler that was registered; null: there was none. */
    public static ChunkHandler unregisterHandler(int type) {
        ChunkHandler handler = handlers.remove(type);
        if (handler != null) {
            AgentLink.unregister(type);
        }
        return handler;
    }

    /** Says that all handlers are there. Nobody waits for it here; Android's VM does. */
    public static void registrationComplete() {
    }

    /**
     * Sends a chunk that nobody asked for to every DDM server that is connected. A chunk whose
     * offset and length lie outside its array is not sent; an agent that is loaded says so in its
     * log.
     */
    public static void sendChunk(Chunk chunk) {
        AgentLink.send(chunk.type, chunk.data, chunk.offset, chunk.length);
    }

    static Set<Integer> types() {
        return new HashSet<>(handlers.keySet());
    }

    static void forget(int type) {
        handlers.remove(type);
    }

    /** Called for the agent: a request, or null for the empty answer. */
    static Chunk dispatch(int type, byte[] data, int offset, int length) {
        ChunkHandler handler = handlers.get(type);
        if (handler == null) {
            return null;
        }
        try {
            return handler.handleChunk(new Chunk(type, data, offset, length));
        } catch (Throwable problem) {
            // The server's request must not end the agent's thread, whatever went wrong.
            return ChunkHandler.createFailChunk(1, problem.toString());
        }
    }

    /**
     * Called for the agent: tells every handler what it does not know yet, once, however many types
     * it has. Comes too when a handler was added while a server is connected.
     */
    static void broadcast(int event) {
        Set<ChunkHandler> all = Collections.newSetFromMap(new IdentityHashMap<>());
        all.addAll(handlers.values());
        connected.retainAll(all);
        for (ChunkHandler handler : all) {
            try {
                if (event == CONNECTED && connected.add(handler)) {
                    handler.connected();
                } else if (event == DISCONNECTED && connected.remove(handler)) {
                    handler.disconnected();
                }
            } catch (Throwable problem) {
                Thread thread = Thread.currentThread();
                thread.getUncaughtExceptionHandler().uncaughtException(thread, problem);
            }
        }
    }

    private static IllegalStateException taken(int type, String by) {
        return new IllegalStateException(
                "chunk type " + ChunkHandler.name(type) + " has " + by + " already");
    }
}
