package org.graalvm.visualvm.lib.jfluid.heap;

import java.io.File;
import java.util.HashMap;
import java.util.Map;

/**
 * The stacks that a heap dump's objects name, as VisualVM's library reads them: one line for each class
 * and stack with the number of objects, "(none)" where the stack has no frame, "(unknown)" where the
 * dump has no stack of that number. VisualVM shows only threads' stacks, so this stands in its package:
 * the library finds each object and each stack, and the four bytes between are read here.
 */
final class AllocationStacks {
    private static final int TAG = 1; // before the id, in dumps of instances and of arrays alike

    public static void main(String[] args) throws Exception {
        HprofHeap heap = (HprofHeap) HeapFactory.createHeap(new File(args[0]));
        Map<Long, String> stacks = new HashMap<>();
        Map<String, Integer> counts = new HashMap<>();
        for (JavaClass type : heap.getAllClasses()) {
            for (Instance object : type.getInstances()) {
                long at = ((HprofObject) object).fileOffset + TAG + heap.dumpBuffer.getIDSize();
                long serial = heap.dumpBuffer.getInt(at) & 0xffffffffL;
                String stack = stacks.computeIfAbsent(serial, number -> frames(heap, number));
                counts.merge(type.getName() + '\t' + stack, 1, Integer::sum);
            }
        }
        counts.forEach((site, count) -> System.out.println(count + "\t" + site));
    }

    private static String frames(HprofHeap heap, long serial) {
        StackTrace trace = heap.getStackTraceSegment().getStackTraceBySerialNumber(serial);
        if (trace == null) return "(unknown)";
        StringBuilder out = new StringBuilder();
        for (StackFrame frame : trace.getStackFrames()) {
            if (out.length() > 0) out.append('\t');
            out.append(frame.getClassName()).append('.').append(frame.getMethodName());
            out.append(':').append(frame.getLineNumber());
        }
        return out.length() > 0 ? out.toString() : "(none)";
    }
}
