import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

/** Reads a heap dump from its first byte to its last, and counts instances by class. */
final class Hprof {
    private final Map<Long, String> texts = new HashMap<>();
    private final Map<Long, Long> classNames = new HashMap<>();
    private final Map<Long, Integer> instances = new HashMap<>();
    private int idSize;
    private int segments;
    private boolean ended;

    /** An exception: it is no heap dump, or not all of one. */
    static Hprof read(byte[] data) throws IOException {
        Hprof dump = new Hprof();
        dump.parse(new DataInputStream(new ByteArrayInputStream(data)));
        return dump;
    }

    /** "java/lang/String", as the dump has it. */
    int instancesOf(String className) {
        int count = 0;
        for (Map.Entry<Long, Integer> entry : instances.entrySet()) {
            if (className.equals(texts.get(classNames.get(entry.getKey())))) {
                count += entry.getValue();
            }
        }
        return count;
    }

    private void parse(DataInputStream in) throws IOException {
        StringBuilder version = new StringBuilder();
        for (int c = in.readByte(); c != 0; c = in.readByte()) {
            version.append((char) c);
        }
        if (!version.toString().equals("JAVA PROFILE 1.0.2")) {
            throw new IOException("version \"" + version + "\"");
        }
        idSize = in.readInt();
        in.readLong();
        while (in.available() > 0) {
            int tag = in.readUnsignedByte();
            in.readInt();
            byte[] body = new byte[in.readInt()];
            in.readFully(body);
            record(tag, new DataInputStream(new ByteArrayInputStream(body)));
        }
        if (segments == 0 || !ended) {
            throw new IOException(segments + " segments, end of the dump: " + ended);
        }
    }

    private void record(int tag, DataInputStream in) throws IOException {
        switch (tag) {
            case 0x01 -> texts.put(id(in), new String(in.readAllBytes(), StandardCharsets.UTF_8));
            case 0x02 -> {
                in.readInt();
                long classId = id(in);
                in.readInt();
                classNames.put(classId, id(in));
            }
            case 0x0c, 0x1c -> {
                segments++;
                while (in.available() > 0) {
                    heapRecord(in.readUnsignedByte(), in);
                }
            }
            case 0x2c -> ended = true;
            default -> { }
        }
    }

    private void heapRecord(int tag, DataInputStream in) throws IOException {
        switch (tag) {
            case 0xff, 0x05, 0x07 -> skip(in, idSize);
            case 0x01 -> skip(in, 2L * idSize);
            case 0x02, 0x03 -> skip(in, idSize + 8L);
            case 0x04, 0x06 -> skip(in, idSize + 4L);
            case 0x08 -> skip(in, idSize + 8L);
            case 0x20 -> classDump(in);
            case 0x21 -> {
                skip(in, idSize + 4L);
                instances.merge(id(in), 1, Integer::sum);
                skip(in, in.readInt());
            }
            case 0x22 -> {
                skip(in, idSize + 4L);
                int length = in.readInt();
                skip(in, idSize + (long) length * idSize);
            }
            case 0x23 -> {
                skip(in, idSize + 4L);
                int length = in.readInt();
                skip(in, (long) length * sizeOf(in.readUnsignedByte()));
            }
            default -> throw new IOException("heap record " + tag);
        }
    }

    private void classDump(DataInputStream in) throws IOException {
        skip(in, 7L * idSize + 8);
        for (int constants = in.readUnsignedShort(); constants > 0; constants--) {
            in.readUnsignedShort();
            skip(in, sizeOf(in.readUnsignedByte()));
        }
        for (int statics = in.readUnsignedShort(); statics > 0; statics--) {
            skip(in, idSize);
            skip(in, sizeOf(in.readUnsignedByte()));
        }
        skip(in, in.readUnsignedShort() * (idSize + 1L));
    }

    private int sizeOf(int type) throws IOException {
        return switch (type) {
            case 2 -> idSize;
            case 4, 8 -> 1;
            case 5, 9 -> 2;
            case 6, 10 -> 4;
            case 7, 11 -> 8;
            default -> throw new IOException("type " + type);
        };
    }

    private long id(DataInputStream in) throws IOException {
        return idSize == 8 ? in.readLong() : in.readInt();
    }

    private static void skip(DataInputStream in, long bytes) throws IOException {
        in.skipNBytes(bytes);
    }
}
