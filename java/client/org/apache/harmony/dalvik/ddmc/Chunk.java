package org.apache.harmony.dalvik.ddmc;

import java.nio.ByteBuffer;

/** The unit of the protocol: a type of four ASCII letters, and data. */
public class Chunk {
    /** The type, as {@link ChunkHandler#type(String)} makes it. */
    public int type;

    /** Holds the data, from {@link #offset} on. */
    public byte[] data;

    public int offset;

    /** Bytes of data. */
    public int length;

    public Chunk() {
    }

    /** The array is not copied. */
    public Chunk(int type, byte[] data, int offset, int length) {
        this.type = type;
        this.data = data;
        this.offset = offset;
        this.length = length;
    }

    /** The content of {@code buffer} up to its position. The buffer must have an array. */
    public Chunk(int type, ByteBuffer buffer) {
        this(type, buffer.array(), buffer.arrayOffset(), buffer.position());
    }
}
