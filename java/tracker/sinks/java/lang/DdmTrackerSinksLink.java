package java.lang;

/** Is there to be linked: see DdmTrackerSinks.link(). */
final class DdmTrackerSinksLink {
    private DdmTrackerSinksLink() { }

    static void touch() { }
}
