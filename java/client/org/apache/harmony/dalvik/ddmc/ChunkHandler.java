package org.apache.harmony.dalvik.ddmc;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/**
 * Answers chunks of one or more types; see {@link DdmServer#registerHandler}.
 *
 * <p>All methods are called by one thread of the agent, one after the other. A slow handler delays
 * other handlers of the program, but nothing else.
 */
public abstract class ChunkHandler {
    public static final ByteOrder CHUNK_ORDER = ByteOrder.BIG_ENDIAN;

    public static final int CHUNK_FAIL = type("FAIL");

    /** The first DDM server has connected, or was connected when the handler was registered. */
    public abstract void connected();

    /** The last DDM server has disconnected. */
    public abstract void disconnected();

    /**
     * Answers a request. {@code null} is the empty answer; an exception becomes a FAIL chunk with
     * its message. {@link #createFailChunk} makes other FAIL chunks.
     */
    public abstract Chunk handleChunk(Chunk request);

    public static Chunk createFailChunk(int errorCode, String message) {
        String text = message == null ? "" : message;
        ByteBuffer out = ByteBuffer.allocate(8 + 2 * text.length()).order(CHUNK_ORDER);
        out.putInt(errorCode);
        out.putInt(text.length());
        putString(out, text);
        return new Chunk(CHUNK_FAIL, out);
    }

    /** The data of a chunk, not copied; reading begins at the buffer's position. */
    public static ByteBuffer wrapChunk(Chunk request) {
        request.requireInside();
        return ByteBuffer.wrap(request.data, request.offset, request.length).order(CHUNK_ORDER);
    }

    /** Reads {@code length} chars; the protocol's strings are preceded by their length. */
    public static String getString(ByteBuffer buffer, int length) {
        if (length < 0 || length > buffer.remaining() / 2) {
            throw new IllegalArgumentException("a string of " + length + " chars, where only "
                    + buffer.remaining() + " bytes are left");
        }
        char[] chars = new char[length];
        for (int i = 0; i < length; i++) {
            chars[i] = buffer.getChar();
        }
        return new String(chars);
    }

    /** Writes the chars of a string, without its length. */
    public static void putString(ByteBuffer buffer, String text) {
        for (int i = 0; i < text.length(); i++) {
            buffer.putChar(text.charAt(i));
        }
    }

    /** "HELO" as a number: the letters are its four bytes. */
    public static int type(String name) {
        byte[] letters = name.getBytes(StandardCharsets.ISO_8859_1);
        if (name.length() != 4 || letters.length != 4
                || !new String(letters, StandardCharsets.ISO_8859_1).equals(name)) {
            throw new IllegalArgumentException(
                    "a chunk's type has four letters, \"" + name + "\" has not");
        }
        return ByteBuffer.wrap(letters).getInt();
    }

    /** The inverse of {@link #type}. */
    public static String name(int type) {
        byte[] letters = ByteBuffer.allocate(4).putInt(type).array();
        return new String(letters, StandardCharsets.ISO_8859_1);
    }
}
