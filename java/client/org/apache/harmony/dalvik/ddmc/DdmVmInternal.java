package org.apache.harmony.dalvik.ddmc;

import java.nio.ByteBuffer;

/**
 * Data about the VM, for handlers and for the program's own use.
 *
 * <p>All functions are libddmagent's. Without it nothing is switched on, and results are empty.
 */
public final class DdmVmInternal {
    private static final byte[] NO_ALLOCATIONS = {15, 9, 8, 0, 0, 0, 0, 0, 15, 0, 0, 0, 0, 0, 0};

    private DdmVmInternal() {
    }

    /**
     * Switches the notification of every connected DDM server of threads that start, end or are
     * renamed.
     */
    public static void threadNotify(boolean enable) {
        AgentLink.requestForAll(ChunkHandler.type("THEN"), flag(enable));
    }

    /**
     * Sends heap figures to every connected server: never (0), now (1), after the next collection
     * (2) or after every one (3). False: there is no such {@code when}.
     */
    public static boolean heapInfoNotify(int when) {
        if (when < 0 || when > 3) {
            return false;
        }
        AgentLink.requestForAll(ChunkHandler.type("HPIF"), new byte[] {(byte) when});
        return true;
    }

    /**
     * Sends a map of the heap to every connected server: never (0) or after every collection (1);
     * merged (0) or object by object (1). False: there is no such choice.
     */
    public static boolean heapSegmentNotify(int when, int what, boolean isNative) {
        if (when < 0 || when > 1 || what < 0 || what > 1) {
            return false;
        }
        AgentLink.requestForAll(ChunkHandler.type(isNative ? "NHSG" : "HPSG"),
                new byte[] {(byte) when, (byte) what});
        return true;
    }

    /** The stack of a thread, by the protocol's thread id; null: there is no such thread. */
    public static StackTraceElement[] getStackTraceById(int id) {
        Chunk answer = AgentLink.request(ChunkHandler.type("STKL"),
                ByteBuffer.allocate(Integer.BYTES).putInt(id).array());
        if (answer == null || answer.type != ChunkHandler.type("STKL")) {
            return null;
        }
        ByteBuffer in = ChunkHandler.wrapChunk(answer);
        in.getInt();
        in.getInt();
        StackTraceElement[] stack = new StackTraceElement[in.getInt()];
        for (int i = 0; i < stack.length; i++) {
            String className = ChunkHandler.getString(in, in.getInt());
            String method = ChunkHandler.getString(in, in.getInt());
            String file = ChunkHandler.getString(in, in.getInt());
            stack[i] = new StackTraceElement(className, method, file.isEmpty() ? null : file,
                    in.getInt());
        }
        return stack;
    }

    /** The data of a THST chunk: one line for every thread. Null: there is no agent. */
    public static byte[] getThreadStats() {
        return dataOf(AgentLink.request(ChunkHandler.type("THST"), new byte[0]), null);
    }

    /**
     * Switches the recording of allocations on or off, for the program and for all DDM servers.
     * What was recorded can be read until it is switched on again. IllegalStateException: the agent
     * cannot record.
     */
    public static void enableRecentAllocations(boolean enable) {
        dataOf(AgentLink.request(ChunkHandler.type("REAE"), flag(enable)), null);
    }

    public static boolean getRecentAllocationStatus() {
        byte[] state = dataOf(AgentLink.request(ChunkHandler.type("REAQ"), new byte[0]), new byte[1]);
        return state.length > 0 && state[0] != 0;
    }

    /** The data of a REAL chunk, newest allocation first; {@link RecentAllocation#parse} reads it. */
    public static byte[] getRecentAllocations() {
        return dataOf(AgentLink.request(ChunkHandler.type("REAL"), new byte[0]),
                NO_ALLOCATIONS.clone());
    }

    private static byte[] flag(boolean on) {
        return new byte[] {(byte) (on ? 1 : 0)};
    }

    private static byte[] dataOf(Chunk answer, byte[] fallback) {
        if (answer == null) {
            return fallback;
        }
        ByteBuffer in = ChunkHandler.wrapChunk(answer);
        if (answer.type == ChunkHandler.CHUNK_FAIL) {
            in.getInt();
            throw new IllegalStateException(ChunkHandler.getString(in, in.getInt()));
        }
        byte[] data = new byte[answer.length];
        in.get(data);
        return data;
    }
}
