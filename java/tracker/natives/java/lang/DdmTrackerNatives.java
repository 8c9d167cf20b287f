package java.lang;

import jdk.internal.vm.annotation.DontInline;
import jdk.internal.vm.annotation.Hidden;

/**
 * The natives of the Tracker, bound once, by RegisterNatives, before the first hook can call them.
 * Lazy binding would look each one up at its first call after each start, by Java code
 * (ClassLoader.findNative) that allocates and so would call it again, recursively without end.
 *
 * They never throw, allocate no Java object and accept null. If a program listens to its own
 * allocations, they call its listener, whose exceptions they drop.
 */
final class DdmTrackerNatives {
    private DdmTrackerNatives() { }

    @Hidden static native void object(Object made);
    @Hidden static native void made(Object made);
    @Hidden static native void arrays(Object made, int dimensions);
    @Hidden static native void newArray(Object made);
    @Hidden static native void nested(Object made);
    @Hidden static native void cloned(Object made);
    @Hidden static native void superCloned(Object made);
    @Hidden static native void backtraced(Object throwable);
    @Hidden static native void threadMade(Object thread);
    @Hidden static native void constructed(Object made);

    /** Does nothing, but the compiler cannot inline it. */
    @Hidden @DontInline static void kept(Object object) { }

    /**
     * Links the Tracker. In its ClassPrepare event the agent registers the natives, with two frames
     * of java.base on the stack, without which the VM would print a warning.
     */
    static void link() { callTracker(); }

    private static void callTracker() { DdmTracker.object(null); }
}
