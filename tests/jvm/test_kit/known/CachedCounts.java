package known;

import java.net.URL;
import java.security.MessageDigest;
import java.time.LocalDate;
import java.time.format.DateTimeFormatter;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

/** Of two tests of the same the first fills caches of the JDK. */
@TestMethodOrder(MethodOrderer.MethodName.class)
class CachedCounts {
    static Object sink;

    static void format() {
        sink = String.format("%,d", 12_345);
    }

    static void date() {
        sink = DateTimeFormatter.ofPattern("dd MMM yyyy").format(LocalDate.of(2020, 1, 1));
    }

    static void digest() throws Exception {
        sink = MessageDigest.getInstance("SHA-256").digest(new byte[3]);
    }

    static void url() throws Exception {
        sink = new URL("https://a/b");
    }

    @Test
    void format1() {
        format();
    }

    @Test
    void format2() {
        format();
    }

    @Test
    void date1() {
        date();
    }

    @Test
    void date2() {
        date();
    }

    @Test
    void digest1() throws Exception {
        digest();
    }

    @Test
    void digest2() throws Exception {
        digest();
    }

    @Test
    void url1() throws Exception {
        url();
    }

    @Test
    void url2() throws Exception {
        url();
    }
}
