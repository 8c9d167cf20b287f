package shop;

import java.util.HashMap;
import java.util.Map;

/** Sessions that nobody ends: 1,000 a minute behind a static map. */
public final class Leak {
    static final class Session {
        final byte[] basket = new byte[1000];
        final String user;

        Session(String user) {
            this.user = user;
        }
    }

    static final Map<Integer, Session> SESSIONS = new HashMap<>();

    static Session login(int number) {
        return new Session("user " + number);
    }

    public static void main(String[] arguments) throws InterruptedException {
        for (int i = 0;; i++) {
            SESSIONS.put(i, login(i));
            Thread.sleep(60);
        }
    }
}
