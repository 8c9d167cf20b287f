package ddm.test;

/** The threads whose allocations a limit is for. */
public enum Threads {
    /** The test's own thread, the threads that it starts, and those that these start. */
    STARTED,
    /** The test's own thread only. */
    OWN
}
