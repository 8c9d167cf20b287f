package java.lang;

import jdk.internal.vm.annotation.Hidden;

/**
 * What LockSupport and VirtualThread call around a park, while monitor=y. The agent defines this
 * class into java.base and binds its natives before it rewrites the callers: left to the VM, they
 * would be looked up by Java code, which may park itself, and not be found while the agent is being
 * loaded into a running VM.
 *
 * The natives never throw and allocate no Java object.
 */
public final class DdmTrackerParks {
    private DdmTrackerParks() { }

    /** The current thread is about to park. */
    @Hidden public static native void parking();

    @Hidden public static native void parked();

    /** A virtual thread that cannot leave its carrier is about to park on it. */
    @Hidden public static native void pinning();

    @Hidden public static native void pinned();

    /** As DdmTrackerCalls.link(). */
    static void link() { touch(); }

    private static void touch() { DdmTrackerParksLink.touch(); }
}
