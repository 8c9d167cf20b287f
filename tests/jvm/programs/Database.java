/** `Database ROUNDS`: H2, which must be on the class path, makes, fills, asks and drops a table so often. */
public class Database {
    public static void main(String[] args) throws Exception {
        for (int n = 0; n < Integer.parseInt(args[0]); n++) Soak.database(n);
    }
}
