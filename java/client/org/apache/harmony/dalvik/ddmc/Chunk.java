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

    /**
     * The array is not copied. Throws an IllegalArgumentException if the data is outside of it;
     * {@code null} has no data.
     */
    public Chunk(int type, byte[] data, int offset, int length) {
        this.type = type;
        this.data = data;
        this.offset = offset;
        this.length = length;
        requireInside();
    }

    /**
     * The content of {@code buffer} up to its position. Throws an IllegalArgumentException if the
     * buffer has no array, as a direct or a read-only one.
     */
    public Chunk(int type, ByteBuffer buffer) {
        this(type, arrayOf(buffer), buffer.arrayOffset(), buffer.position());
    }

    private static byte[] arrayOf(ByteBuffer buffer) {
        if (!buffer.hasArray()) {
            throw new IllegalArgumentException("a chunk's buffer must have an array; a direct or"
                    + " a read-only buffer has none");
        }
        return buffer.array();
    }

    /** The fields may have changed since the constructor. */
    void requireInside() {
        int size = data == null ? 0 : data.length;
        if (offset < 0 || length < 0 || offset > size - length) {
            throw new IllegalArgumentException("the data of chunk " + ChunkHandler.name(type)
                    + " is outside of its array: offset " + offset + ", length " + length + " of "
                    + size + " bytes");
        }
    }
}
