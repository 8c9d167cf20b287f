package java.lang;

import jdk.internal.vm.annotation.Hidden;

/**
 * What LockSupport and VirtualThread call around a park, while monitor=y. The agent defines this
 * class into java.base, calls each method once, so that the VM has found them, and only then
 * rewrites the callers.
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
}
