package java.lang;

import jdk.internal.vm.annotation.Hidden;

/**
 * Where rewritten classes report what they have just made, while tracking is on. The agent defines
 * this class into java.base and swaps it with its twin of empty methods when tracking stops: only
 * then does the compiler find out again that an object does not escape.
 *
 * Its methods are hidden: a stack that overflows inside one of them shows the program's frames only.
 */
public final class DdmTracker {
    private DdmTracker() { }

    /** From Object's constructor: a new object, not an array. */
    @Hidden public static void object(Object made) { DdmTrackerNatives.object(made); }

    /** Behind an array instruction, or a call that always makes a new array or object. */
    @Hidden public static void made(Object made) { DdmTrackerNatives.made(made); }

    /** Behind multianewarray, with the number of dimensions that were made. */
    @Hidden public static void arrays(Object made, int dimensions) {
        DdmTrackerNatives.arrays(made, dimensions);
    }

    /** Behind Array.newArray: made, unless the caller is Arrays.copyOf, which is hooked itself. */
    @Hidden public static void newArray(Object made) { DdmTrackerNatives.newArray(made); }

    /** Behind Array.multiNewArray: the array and all arrays in it. */
    @Hidden public static void nested(Object made) { DdmTrackerNatives.nested(made); }

    /** Behind a virtual call of clone() on something that is not an array. */
    @Hidden public static void cloned(Object made) { DdmTrackerNatives.cloned(made); }

    /** Behind super.clone() where the superclass is not Object. */
    @Hidden public static void superCloned(Object made) { DdmTrackerNatives.superCloned(made); }

    /** Behind Throwable.fillInStackTrace(int): the arrays that hold the stack trace. */
    @Hidden public static void backtraced(Object throwable) { DdmTrackerNatives.backtraced(throwable); }

    /**
     * For objects that C2 knows how to do without, together with the calls that make them and what is
     * hooked in there: before toString() of a StringBuilder, behind valueOf() of a box. Counts nothing.
     */
    @Hidden public static void kept(Object object) { DdmTrackerNatives.kept(object); }
}
