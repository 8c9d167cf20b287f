package org.apache.harmony.dalvik.ddmc;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * One recorded allocation.
 *
 * @param className as Class.getTypeName() gives it: "java.lang.String", "int[][]"
 * @param size bytes in the heap
 * @param threadId the protocol's id of the thread, not Java's
 * @param stack innermost frame first
 */
public record RecentAllocation(String className, int size, int threadId,
        List<StackTraceElement> stack) {

    /** Parses the result of {@link DdmVmInternal#getRecentAllocations}; newest first. */
    public static List<RecentAllocation> parse(byte[] data) {
        ByteBuffer in = ByteBuffer.wrap(data).order(ChunkHandler.CHUNK_ORDER);
        int headerSize = Byte.toUnsignedInt(in.get());
        int entrySize = Byte.toUnsignedInt(in.get());
        int frameSize = Byte.toUnsignedInt(in.get());
        int entries = Short.toUnsignedInt(in.getShort());
        int strings = in.getInt();
        int classCount = Short.toUnsignedInt(in.getShort());
        int methodCount = Short.toUnsignedInt(in.getShort());
        int fileCount = Short.toUnsignedInt(in.getShort());

        ByteBuffer texts = in.duplicate().order(ChunkHandler.CHUNK_ORDER).position(strings);
        String[] classes = read(texts, classCount);
        String[] methods = read(texts, methodCount);
        String[] files = read(texts, fileCount);
        for (int i = 0; i < classes.length; i++) {
            classes[i] = typeName(classes[i]);
        }

        List<RecentAllocation> result = new ArrayList<>(entries);
        int at = headerSize;
        for (int i = 0; i < entries; i++) {
            int size = in.getInt(at);
            int thread = Short.toUnsignedInt(in.getShort(at + 4));
            String className = classes[Short.toUnsignedInt(in.getShort(at + 6))];
            int depth = Byte.toUnsignedInt(in.get(at + 8));
            at += entrySize;
            StackTraceElement[] stack = new StackTraceElement[depth];
            for (int frame = 0; frame < depth; frame++) {
                String file = files[Short.toUnsignedInt(in.getShort(at + 4))];
                stack[frame] = new StackTraceElement(
                        classes[Short.toUnsignedInt(in.getShort(at))],
                        methods[Short.toUnsignedInt(in.getShort(at + 2))],
                        file.isEmpty() ? null : file, in.getShort(at + 6));
                at += frameSize;
            }
            result.add(new RecentAllocation(className, size, thread, List.of(stack)));
        }
        return result;
    }

    private static String[] read(ByteBuffer in, int count) {
        String[] texts = new String[count];
        for (int i = 0; i < count; i++) {
            texts[i] = ChunkHandler.getString(in, in.getInt());
        }
        return texts;
    }

    /** "[Ljava/lang/String;" is "java.lang.String[]". */
    private static String typeName(String descriptor) {
        int dimensions = 0;
        while (dimensions < descriptor.length() && descriptor.charAt(dimensions) == '[') {
            dimensions++;
        }
        String element = descriptor.substring(dimensions);
        String name = element;
        if (element.length() > 2 && element.startsWith("L") && element.endsWith(";")) {
            // A dot in a descriptor precedes the suffix of a hidden class, which is "/" in names.
            name = element.substring(1, element.length() - 1)
                    .replace('.', '\0').replace('/', '.').replace('\0', '/');
        } else if (element.length() == 1) {
            name = primitive(element);
        }
        return name + "[]".repeat(dimensions);
    }

    private static String primitive(String letter) {
        return switch (letter) {
            case "Z" -> "boolean";
            case "B" -> "byte";
            case "C" -> "char";
            case "S" -> "short";
            case "I" -> "int";
            case "J" -> "long";
            case "F" -> "float";
            case "D" -> "double";
            default -> letter;
        };
    }
}
