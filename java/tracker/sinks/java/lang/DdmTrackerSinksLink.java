package java.lang;

/** Exists to be linked: see DdmTrackerSinks.link(). */
final class DdmTrackerSinksLink {
    private DdmTrackerSinksLink() { }

    static void touch() { }
}
