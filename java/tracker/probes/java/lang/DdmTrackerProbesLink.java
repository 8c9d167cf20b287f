package java.lang;

/** Is there to be linked: see DdmTrackerCalls.link(). */
final class DdmTrackerProbesLink {
    private DdmTrackerProbesLink() { }

    static void touch() { }
}
