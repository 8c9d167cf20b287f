package org.apache.harmony.dalvik.ddmc;

import java.nio.ByteBuffer;

/**
 * The connection to the agent. Without an agent every call does nothing.
 *
 * <p>The agent finds this class by its name, and calls the private methods at the end. They and the
 * natives are known to agent/adapters/client_api.
 */
final class AgentLink {
    /** How often an agent has come: one that is loaded later calls arrived(). */
    private static volatile int arrivals;

    /**
     * The number of arrivals for which a call has found no agent. A call that tells so late, when
     * an agent has come meanwhile, thus says nothing of that agent.
     */
    private static volatile int absentAt = -1;

    private AgentLink() {
    }

    /** False: the agent answers this type itself. */
    static boolean register(int type) {
        return !call(() -> nativeRegister(type), false);
    }

    static void unregister(int type) {
        call(() -> {
            nativeUnregister(type);
            return null;
        }, null);
    }

    static void send(int type, byte[] data, int offset, int length) {
        byte[] bytes = data == null ? new byte[0] : data;
        call(() -> {
            nativeSend(type, bytes, offset, length);
            return null;
        }, null);
    }

    /**
     * Makes the agent answer a chunk as if a DDM server had sent it. Null: there is no agent, or
     * the answer is empty.
     */
    static Chunk request(int type, byte[] data) {
        byte[] answer = call(() -> nativeRequest(type, data, false), null);
        if (answer == null || answer.length < Integer.BYTES) {
            return null;
        }
        int answerType = ByteBuffer.wrap(answer).getInt();
        return new Chunk(answerType, answer, Integer.BYTES, answer.length - Integer.BYTES);
    }

    /** Like request(), as if every connected server had sent the chunk; answers are dropped. */
    static void requestForAll(int type, byte[] data) {
        call(() -> nativeRequest(type, data, true), null);
    }

    private interface Native<T> {
        T run();
    }

    private static <T> T call(Native<T> work, T fallback) {
        int arrived = arrivals;
        if (absentAt == arrived) {
            return fallback;
        }
        try {
            return work.run();
        } catch (UnsatisfiedLinkError noAgent) {
            absentAt = arrived;
            return fallback;
        }
    }

    /** True: the agent handles this type itself. */
    private static native boolean nativeRegister(int type);

    private static native void nativeUnregister(int type);

    private static native void nativeSend(int type, byte[] data, int offset, int length);

    /** The answer's type and data in one array; null: the answer is empty. */
    private static native byte[] nativeRequest(int type, byte[] data, boolean forAll);

    /** The agent was loaded into the running program; the natives are bound. */
    private static void arrived() {
        ++arrivals;
        DdmServer.agentArrived();
    }

    /** A request of a DDM server; the answer has the form of nativeRequest()'s. */
    private static byte[] dispatch(int type, byte[] data) {
        Chunk answer = DdmServer.dispatch(type, data, 0, data.length);
        if (answer == null) {
            return null;
        }
        ByteBuffer out = ByteBuffer.allocate(Integer.BYTES + answer.length);
        out.putInt(answer.type);
        if (answer.length != 0) {
            out.put(answer.data, answer.offset, answer.length);
        }
        return out.array();
    }

    private static void broadcast(int event) {
        DdmServer.broadcast(event);
    }
}
