package java.lang;

import jdk.internal.vm.annotation.Hidden;

/** The variant of the tracking class while tracking is off: every method is empty. */
public final class DdmTracker {
    private DdmTracker() { }

    @Hidden public static void object(Object made) { }

    @Hidden public static void made(Object made) { }

    @Hidden public static void arrays(Object made, int dimensions) { }

    @Hidden public static void newArray(Object made) { }

    @Hidden public static void nested(Object made) { }

    @Hidden public static void cloned(Object made) { }

    @Hidden public static void superCloned(Object made) { }

    @Hidden public static void backtraced(Object throwable) { }

    @Hidden public static void threadMade(Object thread) { }

    @Hidden public static void constructed(Object made) { }

    @Hidden public static void kept(Object object) { }
}
