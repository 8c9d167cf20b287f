import java.io.File;

/**
 * `Database ROUNDS [FILE BYTES]`: H2, which must be on the class path, makes, fills, asks and drops a table
 * so often, and goes on until FILE has so many bytes more.
 */
public class Database {
    public static void main(String[] args) throws Exception {
        File watched = args.length > 1 ? new File(args[1]) : null;
        long bytes = watched == null ? 0 : watched.length() + Long.parseLong(args[2]);
        for (int n = 0; n < Integer.parseInt(args[0]) || watched != null && watched.length() < bytes; n++) {
            Soak.database(n);
        }
    }
}
