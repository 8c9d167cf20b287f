package ddm.test;

import java.util.List;

/**
 * Objects of one class that were allocated at one stack.
 *
 * @param className as Class.getTypeName() gives it: {@code a.B$C}, {@code int[]}
 * @param bytes the sum of exact shallow sizes
 * @param firstUse allocated once however often the code runs: by a class initialiser, by linkage and
 *     the like
 * @param ownThread allocated by the measured thread itself, not by one that it started
 * @param stack the innermost frame, which allocated, comes first
 */
public record AllocationSite(String className, long objects, long bytes, boolean firstUse,
        boolean ownThread, List<StackTraceElement> stack) {

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
