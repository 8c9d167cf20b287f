package ddm.test;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * The sites of a test as lines of JSON, made of the agent's text (agent/adapters/test_kit/scope_text.h) byte by byte:
 * what is allocated here is recorded as everything is, and an object a frame costs more than the tests do.
 * Used by one thread at a time.
 */
final class SiteLines {
    /** The largest with all their frames, the others with some: one that is new may be small. */
    private static final int SITES_OF_TEST = 200;
    private static final int WHOLE_SITES = 20;
    static final int FRAMES_OF_SITE = 24;
    private static final int FRAMES_OF_SMALL_SITE = 8;

    private static final byte[] CLASS = ascii(",\"class\":\"");
    private static final byte[] COUNT = ascii("\",\"count\":");
    private static final byte[] BYTES = ascii(",\"bytes\":");
    private static final byte[] STACK = ascii(",\"stack\":[");
    private static final byte[] FRAME = ascii("{\"class\":\"");
    private static final byte[] METHOD = ascii("\",\"method\":\"");
    private static final byte[] FILE = ascii("\",\"file\":\"");
    private static final byte[] LINE = ascii("\",\"line\":");
    private static final byte[] END = ascii("]}\n");

    private byte[] line = new byte[8192];
    private int length;

    /** Of what the agent has written of a scope; first uses are no sites of the test. */
    void write(byte[] written, String test, OutputStream out) throws IOException {
        length = 0;
        put(ascii("{\"test\":\""));
        byte[] name = test.getBytes(StandardCharsets.UTF_8);
        putText(name, 0, name.length);
        put('"');
        int head = length;
        int shown = 0;
        int at = next(written, 0, written.length, '\n') + 1;
        while (at < written.length && shown < SITES_OF_TEST) {
            int end = next(written, at, written.length, '\n');
            int objects = next(written, at, end, '\t');
            int bytes = next(written, objects + 1, end, '\t');
            int flags = next(written, bytes + 1, end, '\t');
            int type = next(written, flags + 1, end, '\t');
            if (written[bytes + 1] != 'f') {
                length = head;
                put(CLASS);
                putText(written, flags + 1, type);
                put(COUNT);
                put(written, at, objects);
                put(BYTES);
                put(written, objects + 1, bytes);
                put(STACK);
                putFrames(written, type + 1, end, ++shown <= WHOLE_SITES ? FRAMES_OF_SITE : FRAMES_OF_SMALL_SITE);
                put(END);
                out.write(line, 0, length);
            }
            at = end + 1;
        }
    }

    private void putFrames(byte[] written, int begin, int end, int most) {
        int at = begin;
        for (int n = 0; at < end && n < most; ++n) {
            int frame = next(written, at, end, '\t');
            int type = next(written, at, frame, '\1');
            int method = next(written, type + 1, frame, '\1');
            int file = next(written, method + 1, frame, '\1');
            if (n > 0) {
                put(',');
            }
            put(FRAME);
            putText(written, at, type);
            put(METHOD);
            putText(written, type + 1, method);
            put(FILE);
            putText(written, method + 1, file);
            put(LINE);
            put(written, file + 1, frame);
            put('}');
            at = frame + 1;
        }
    }

    /** Where the byte is, or the end. */
    private static int next(byte[] text, int begin, int end, char wanted) {
        int at = begin;
        while (at < end && text[at] != wanted) {
            ++at;
        }
        return Math.min(at, end);
    }

    private void put(int one) {
        if (length == line.length) {
            line = Arrays.copyOf(line, 2 * length);
        }
        line[length++] = (byte) one;
    }

    private void put(byte[] text) {
        put(text, 0, text.length);
    }

    private void put(byte[] text, int begin, int end) {
        for (int at = begin; at < end; ++at) {
            put(text[at]);
        }
    }

    private void putText(byte[] text, int begin, int end) {
        for (int at = begin; at < end; ++at) {
            byte one = text[at];
            if (one == '"' || one == '\\') {
                put('\\');
                put(one);
            } else if (one >= 0 && one < ' ') {
                put(ascii(String.format("\\u%04x", (int) one)));
            } else {
                put(one);
            }
        }
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
