package java.lang;

import jdk.internal.vm.annotation.Hidden;

/**
 * Where methods report that they begin and end, while they are traced. The agent defines this class
 * into java.base and binds its natives before the first hook can call them: left to the VM, they
 * would be looked up by Java code, which may be traced itself.
 *
 * They never throw and allocate no Java object. The second number is not used.
 */
public final class DdmTrackerCalls {
    private DdmTrackerCalls() { }

    @Hidden public static native void entered(int method, int unused);
    @Hidden public static native void returned(int method, int unused);
    @Hidden public static native void thrown(int method, int unused);

    /**
     * Links the class below, in whose ClassPrepare event the agent registers the natives: then there
     * are two frames of java.base on the stack, without which the VM would print a warning.
     */
    static void link() { touch(); }

    private static void touch() { DdmTrackerCallsLink.touch(); }
}
