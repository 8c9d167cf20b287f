package ddm.test;

import java.util.List;

/** Objects of one class that were allocated at one stack. */
public final class AllocationSite {
    private final String className;
    private final long objects;
    private final long bytes;
    private final boolean firstUse;
    private final boolean ownThread;
    private final List<StackTraceElement> stack;

    AllocationSite(String className, long objects, long bytes, boolean firstUse, boolean ownThread,
            List<StackTraceElement> stack) {
        this.className = className;
        this.objects = objects;
        this.bytes = bytes;
        this.firstUse = firstUse;
        this.ownThread = ownThread;
        this.stack = stack;
    }

    /** As Class.getTypeName() gives it: {@code a.B$C}, {@code int[]}. */
    public String className() {
        return className;
    }

    public long objects() {
        return objects;
    }

    /** The sum of exact shallow sizes. */
    public long bytes() {
        return bytes;
    }

    /**
     * Allocated once however often the code runs: by a class initialiser, by linkage and the like.
     */
    public boolean firstUse() {
        return firstUse;
    }

    /** Allocated by the measured thread itself, not by one that it started. */
    public boolean ownThread() {
        return ownThread;
    }

    /** The innermost frame, which allocated, comes first. */
    public List<StackTraceElement> stack() {
        return stack;
    }

    /** Whether a frame is of this class, package, or {@code Class.method}. */
    boolean hasFrameOf(String from) {
        for (StackTraceElement frame : stack) {
            String place = frame.getClassName() + "." + frame.getMethodName();
            if (place.equals(from) || (place.startsWith(from)
                    && (place.charAt(from.length()) == '.' || place.charAt(from.length()) == '$'))) {
                return true;
            }
        }
        return false;
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(className).append(": ")
                .append(Figures.amount(objects, bytes));
        for (StackTraceElement frame : stack) {
            text.append("\n    at ").append(frame);
        }
        return text.toString();
    }
}
