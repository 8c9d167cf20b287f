package java.lang;

import jdk.internal.vm.annotation.Hidden;

/**
 * Receives the new objects of rewritten classes while tracking is on. The agent defines this class
 * into java.base and redefines it to a variant with empty methods when tracking stops: only then
 * can escape analysis eliminate allocations again.
 *
 * The methods are @Hidden: a stack overflow inside one of them shows the program's frames only.
 */
public final class DdmTracker {
    private DdmTracker() { }

    /** From Object's constructor: a new object, not an array. */
    @Hidden public static void object(Object made) { DdmTrackerNatives.object(made); }

    /** After an array instruction, or a call that always creates its result. */
    @Hidden public static void made(Object made) { DdmTrackerNatives.made(made); }

    /** After multianewarray, with the number of dimensions that were allocated. */
    @Hidden public static void arrays(Object made, int dimensions) {
        DdmTrackerNatives.arrays(made, dimensions);
    }

    /** After Array.newArray: made(), unless the caller is Arrays.copyOf, which is hooked itself. */
    @Hidden public static void newArray(Object made) { DdmTrackerNatives.newArray(made); }

    /** After Array.multiNewArray: the array and all arrays in it. */
    @Hidden public static void nested(Object made) { DdmTrackerNatives.nested(made); }

    /** After a virtual call of clone() on something that is not an array. */
    @Hidden public static void cloned(Object made) { DdmTrackerNatives.cloned(made); }

    /** After super.clone() where the superclass is not Object. */
    @Hidden public static void superCloned(Object made) { DdmTrackerNatives.superCloned(made); }

    /** After Throwable.fillInStackTrace(int): the arrays that hold the stack trace. */
    @Hidden public static void backtraced(Object throwable) { DdmTrackerNatives.backtraced(throwable); }

    /** At the end of a constructor of Thread, when the thread has its id. Counts nothing. */
    @Hidden public static void threadMade(Object thread) { DdmTrackerNatives.threadMade(thread); }

    /**
     * After the constructor of a `new` object, or after a call that may have created one: the
     * object is complete. Only while the program listens to its own allocations. Counts nothing.
     */
    @Hidden public static void constructed(Object made) { DdmTrackerNatives.constructed(made); }

    /**
     * For objects that C2 eliminates together with the calls that create them and the hooks in
     * there: before toString() of a StringBuilder, after valueOf() of a box. Counts nothing.
     */
    @Hidden public static void kept(Object object) { DdmTrackerNatives.kept(object); }
}
