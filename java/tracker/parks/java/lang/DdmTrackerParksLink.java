package java.lang;

/** Exists to be linked: see DdmTrackerParks.link(). */
final class DdmTrackerParksLink {
    private DdmTrackerParksLink() { }

    static void touch() { }
}
