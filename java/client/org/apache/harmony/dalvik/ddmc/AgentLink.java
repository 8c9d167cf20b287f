package org.apache.harmony.dalvik.ddmc;

import java.nio.ByteBuffer;

/**
 * The way to the agent and back. Without an agent every call does nothing.
 *
 * <p>The agent finds this class by its name, and calls the private methods at the end. They and the
 * natives are known to agent/client_api.
 */
final class AgentLink {
    /** Looked for in vain. An agent that is loaded later says so by arrived(). */
    private static volatile boolean absent;

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
     * Has the agent answer a chunk as if a DDM server had sent it. Null: there is no agent, or the
     * answer is the empty one.
     */
    static Chunk request(int type, byte[] data) {
        byte[] answer = call(() -> nativeRequest(type, data, false), null);
        if (answer == null || answer.length < Integer.BYTES) {
            return null;
        }
        int answerType = ByteBuffer.wrap(answer).getInt();
        return new Chunk(answerType, answer, Integer.BYTES, answer.length - Integer.BYTES);
    }

    /** The same, as if every server that is connected had sent it; answers go nowhere. */
    static void requestForAll(int type, byte[] data) {
        call(() -> nativeRequest(type, data, true), null);
    }

    private interface Native<T> {
        T run();
    }

    private static <T> T call(Native<T> work, T otherwise) {
        if (absent) {
            return otherwise;
        }
        try {
            return work.run();
        } catch (UnsatisfiedLinkError noAgent) {
            absent = true;
            return otherwise;
        }
    }

    /** True: the type is the agent's own. */
    private static native boolean nativeRegister(int type);

    private static native void nativeUnregister(int type);

    private static native void nativeSend(int type, byte[] data, int offset, int length);

    /** The answer's type and data in one array; null: the empty answer. */
    private static native byte[] nativeRequest(int type, byte[] data, boolean forAll);

    /** The agent was loaded into the running program; the natives are bound. */
    private static void arrived() {
        absent = false;
        for (int type : DdmServer.types()) {
            if (!register(type)) {
                DdmServer.forget(type);
            }
        }
    }

    /** A request of a DDM server; the answer as nativeRequest() gives it. */
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
