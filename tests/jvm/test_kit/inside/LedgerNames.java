package ddm.test;

/** Adds as many tests of one name as a large data provider has rows, and names that look like theirs. */
final class LedgerNames {
    private LedgerNames() {
    }

    static void add(String name) {
        long scope = AgentLink.begin(AgentLink.EVERYTHING, "", "", false);
        AgentLink.end(scope);
        Ledger.instance().add(name, scope);
    }

    public static void main(String[] arguments) {
        if (!AgentLink.counts()) {
            throw new IllegalStateException(AgentLink.problem());
        }
        add("named[2]");
        add(TestNames.clean("torn \ud800"));
        add("named");
        add("named");
        add("named");
        add("named[2]");
        for (int i = Integer.parseInt(arguments[0]); i > 0; --i) {
            add("rows");
        }
        if (arguments.length > 1) {
            Ledger.instance().add(arguments[1], 0);  // there is no such scope
            Ledger.instance().add(arguments[1], 0);
        }
        Ledger.instance().write();
    }
}
