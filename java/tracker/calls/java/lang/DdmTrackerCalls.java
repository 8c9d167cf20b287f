package java.lang;

import jdk.internal.vm.annotation.Hidden;

/**
 * Receives the entries and exits of methods while they are traced. The agent defines this class
 * into java.base and binds its natives before the first hook can call them: lazy binding by the VM
 * runs Java code, which may be traced itself.
 *
 * The natives never throw and allocate no Java object. The second number is unused.
 */
public final class DdmTrackerCalls {
    private DdmTrackerCalls() { }

    @Hidden public static native void entered(int method, int unused);
    @Hidden public static native void returned(int method, int unused);
    @Hidden public static native void thrown(int method, int unused);

    /**
     * Links the class below. In its ClassPrepare event the agent registers the natives, with two
     * frames of java.base on the stack, without which the VM would print a warning.
     */
    static void link() { touch(); }

    private static void touch() { DdmTrackerCallsLink.touch(); }
}
