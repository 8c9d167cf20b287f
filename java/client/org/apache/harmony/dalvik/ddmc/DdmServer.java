package org.apache.harmony.dalvik.ddmc;

import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The program's own chunk types: handlers that answer DDM servers, and chunks sent to them.
 *
 * <p>Requires libddmagent. Without it no handler is called, and chunks that are sent are dropped.
 * If it is loaded later, the handlers registered by then take effect.
 */
public final class DdmServer {
    public static final int CLIENT_PROTOCOL_VERSION = 1;

    private static final int CONNECTED = 1;
    private static final int DISCONNECTED = 2;

    private static final Map<Integer, ChunkHandler> handlers = new ConcurrentHashMap<>();

    /** Registered handlers whose connected() was called. */
    private static final Set<ChunkHandler> connected =
            Collections.synchronizedSet(Collections.newSetFromMap(new IdentityHashMap<>()));

    private DdmServer() {
    }

    /**
     * Registers {@code handler} for chunks of this type. Types of the agent itself (HELO and so on)
     * and types that have a handler are rejected with an IllegalStateException. If a server is
     * connected, the handler's connected() is called at once.
     */
    public static synchronized void registerHandler(int type, ChunkHandler handler) {
        Objects.requireNonNull(handler, "handler is null");
        if (handlers.putIfAbsent(type, handler) != null) {
            throw taken(type, "a handler");
        }
        if (!AgentLink.register(type)) {
            handlers.remove(type);
            throw taken(type, "a handler in the agent");
        }
    }

    /** Returns the handler that was registered; null: there was none. */
    public static synchronized ChunkHandler unregisterHandler(int type) {
        ChunkHandler handler = handlers.remove(type);
        if (handler != null) {
            AgentLink.unregister(type);
            if (!registered().contains(handler)) {
                connected.remove(handler);
            }
        }
        return handler;
    }

    /** Declares that all handlers are registered. No effect here; Android's VM waits for it. */
    public static void registrationComplete() {
    }

    /**
     * Sends a chunk that is no reply to every connected DDM server. Throws an
     * IllegalArgumentException, with and without the agent, if its offset and length are outside of
     * its array.
     */
    public static void sendChunk(Chunk chunk) {
        chunk.requireInside();
        AgentLink.send(chunk.type, chunk.data, chunk.offset, chunk.length);
    }

    /** An agent was loaded later: it takes the handlers, except those of types of its own. */
    static void agentArrived() {
        handlers.keySet().removeIf(type -> !AgentLink.register(type));
    }

    /** Each handler once, however many types it is registered for. */
    private static Set<ChunkHandler> registered() {
        Set<ChunkHandler> all = Collections.newSetFromMap(new IdentityHashMap<>());
        all.addAll(handlers.values());
        return all;
    }

    /** Called by the agent: handles a request; null is the empty answer. */
    static Chunk dispatch(int type, byte[] data, int offset, int length) {
        ChunkHandler handler = handlers.get(type);
        if (handler == null) {
            return null;
        }
        try {
            Chunk answer = handler.handleChunk(new Chunk(type, data, offset, length));
            if (answer != null) {
                answer.requireInside();
            }
            return answer;
        } catch (Throwable problem) {
            // No error of a handler may end the agent's thread.
            return ChunkHandler.createFailChunk(1, problem.toString());
        }
    }

    /**
     * Called by the agent: notifies each handler once of a change, however many types it is
     * registered for. Also called when a handler was added while a server is connected.
     */
    static void broadcast(int event) {
        Set<ChunkHandler> all = registered();
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
