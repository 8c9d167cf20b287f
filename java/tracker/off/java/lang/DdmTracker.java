package java.lang;

/** The twin of the tracking class for the time when tracking is off: every method is empty. */
public final class DdmTracker {
    private DdmTracker() { }

    public static void object(Object made) { }

    public static void made(Object made) { }

    public static void arrays(Object made, int dimensions) { }

    public static void newArray(Object made) { }

    public static void nested(Object made) { }

    public static void cloned(Object made) { }

    public static void superCloned(Object made) { }

    public static void backtraced(Object throwable) { }
}
