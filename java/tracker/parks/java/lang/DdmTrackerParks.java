package java.lang;

import jdk.internal.vm.annotation.Hidden;

/**
 * Called by LockSupport and VirtualThread around a park, while monitor=y. The agent defines this
 * class into java.base and binds its natives before it rewrites the callers: lazy binding by the VM
 * runs Java code, which may park itself, and cannot find them while the agent is being attached to
 * a running VM.
 *
 * The natives never throw and allocate no Java object.
 */
public final class DdmTrackerParks {
    private DdmTrackerParks() { }

    /** The current thread is about to park. */
    @Hidden public static native void parking();

    @Hidden public static native void parked();

    /** A pinned virtual thread is about to park its carrier. */
    @Hidden public static native void pinning();

    @Hidden public static native void pinned();

    /** Like DdmTrackerCalls.link(). */
    static void link() { touch(); }

    private static void touch() { DdmTrackerParksLink.touch(); }
}
