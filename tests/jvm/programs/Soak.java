import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/**
 * `Soak MILLIS DIRECTORY FILES`: all at once, for so long, in one VM: javac over sources, H2 (where
 * the class path has it), code of every kind whose results are checked, classes that are loaded and
 * dropped, and garbage of every size and age. Prints "DONE" or what went wrong.
 */
public class Soak {
    static volatile boolean stop;
    static volatile Throwable failure;
    static volatile Object sink;

    interface Work { void round(int n) throws Exception; }

    static void database(int n) throws Exception {
        try (Connection connection = DriverManager.getConnection("jdbc:h2:mem:soak" + n % 3);
                Statement statement = connection.createStatement()) {
            statement.execute("create table t(id int primary key, name varchar(40), n int)");
            try (PreparedStatement insert = connection.prepareStatement("insert into t values (?, ?, ?)")) {
                for (int i = 0; i < 500; i++) {
                    insert.setInt(1, i);
                    insert.setString(2, "name " + i);
                    insert.setInt(3, i % 97);
                    insert.executeUpdate();
                }
            }
            int sum = 0;
            try (ResultSet rows = statement.executeQuery("select n, count(*), max(name) from t group by n")) {
                while (rows.next()) sum += rows.getInt(2);
            }
            if (sum != 500) throw new IllegalStateException("rows: " + sum);
            statement.execute("drop table t");
        }
    }

    static boolean hasDatabase() {
        try {
            DriverManager.getConnection("jdbc:h2:mem:soak").close();
            return true;
        } catch (SQLException e) {
            return false;
        }
    }

    static final List<Object> kept = new ArrayList<>();

    /** Most of it dies at once, some later, some is too large for a region or a TLAB. */
    static void garbage(int n) {
        for (int i = 0; i < 200; i++) sink = new byte[(n * 31 + i * 17) % 3000];
        sink = new long[(n % 50) * 4000];
        kept.add(new Object[n % 2000]);
        if (kept.size() == 3000) kept.subList(0, 2500).clear();
        if (n % 3000 == 0) System.gc();
    }

    static void repeat(List<Thread> threads, String name, Work work) {
        Thread thread = new Thread(() -> {
            try {
                for (int n = 0; !stop; n = (n + 1) & 0xFFFFF) work.round(n);
            } catch (Throwable e) {
                failure = e;
                stop = true;
            }
        }, name);
        threads.add(thread);
        thread.start();
    }

    public static void main(String[] args) throws Exception {
        long end = System.nanoTime() + Long.parseLong(args[0]) * 1_000_000;
        List<Thread> threads = new ArrayList<>();
        repeat(threads, "javac", n -> Javac.main(new String[] {args[1], args[2], "1"}));
        if (hasDatabase()) repeat(threads, "database", Soak::database);
        repeat(threads, "kinds", ToggleLoad::round);
        repeat(threads, "garbage", Soak::garbage);
        repeat(threads, "loaders", n -> {
            Churn.main(new String[] {"20"});
            Thread.sleep(50);  // the VM never gives back all that a class takes
        });
        while (!stop && System.nanoTime() < end) Thread.sleep(20);
        stop = true;
        for (Thread thread : threads) thread.join();
        if (failure != null) {
            failure.printStackTrace(System.out);
            System.exit(1);
        }
        System.out.println("DONE");
    }
}
