package ddm.test;

/** Whose allocations a limit is for. */
public enum Threads {
    /** Those of the test's own thread, of the threads that it starts, and of those that these start. */
    STARTED,
    /** Those of its own thread alone. */
    OWN
}
