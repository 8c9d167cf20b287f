package java.lang;

/** Exists to be linked: see DdmTrackerCalls.link(). */
final class DdmTrackerCallsLink {
    private DdmTrackerCallsLink() { }

    static void touch() { }
}
