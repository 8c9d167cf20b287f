import java.lang.ref.SoftReference;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

/** Sessions behind a static map, so many a minute; a cache that is full; what other roots hold. */
final class Leaks {
    static final class Session {
        final byte[] state = new byte[1000];
        final String user;

        Session(String user) {
            this.user = user;
        }
    }

    static final class Cached {
        final int[] data = new int[50];
    }

    static final class OfLocal {
    }

    static final class OfThread {
    }

    static final class OfSoft {
    }

    static final class Task {
    }

    /** A list in which each holds the next, and large arrays: what it holds is known. */
    static final class Owner {
        final byte[] large = new byte[1 << 20];
        final Owner next;

        Owner(Owner next) {
            this.next = next;
        }
    }

    static final class Shared {
        final byte[] large = new byte[1 << 20];
    }

    static final class User {
        final Shared shared;

        User(Shared shared) {
            this.shared = shared;
        }
    }

    static final Map<Integer, Session> SESSIONS = new HashMap<>();
    static final Map<Integer, Cached> CACHE = new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Integer, Cached> eldest) {
            return size() > 5000;
        }
    };
    static final SoftReference<OfSoft> SOFT = new SoftReference<>(new OfSoft());
    static final ThreadLocal<OfThread> LOCAL = new ThreadLocal<>();
    static final Object[][][] TASKS = {{{new Task()}}};
    static Owner owners;
    static User[] users;

    static Session login(int number) {
        return new Session("user " + number);
    }

    static void cache(int number) {
        CACHE.put(number, new Cached());
    }

    public static void main(String[] arguments) throws Exception {
        int perMinute = Integer.parseInt(arguments[0]);
        for (int i = 0; i < 10; i++) owners = new Owner(owners);
        Shared shared = new Shared();
        users = new User[] {new User(shared), new User(shared)};
        shared = null;
        OfLocal local = new OfLocal();
        Thread held = new Thread(() -> {
            LOCAL.set(new OfThread());
            synchronized (LOCAL) {
                LOCAL.notify();
            }
            Object[] worked = {TASKS[0][0][0]};  // as the queue of an idle worker
            while (true) LockSupport.parkNanos(worked, 1_000_000_000_000L);
        }, "held \u00fc \u4e2d");
        held.setDaemon(true);
        synchronized (LOCAL) {
            held.start();
            while (held.getState() != Thread.State.TIMED_WAITING) LOCAL.wait(10);
        }
        int cached = 0, made = 0;
        while (cached < 6000) cache(cached++);
        held = null;
        Thread end = new Thread(() -> {
            try {
                while (System.in.read() >= 0) {
                    continue;
                }
            } catch (java.io.IOException e) {
                // the end, too
            }
            System.exit(0);
        });
        end.setDaemon(true);
        end.start();
        System.out.println("ready");
        long begin = System.nanoTime();
        while (true) {
            long due = (System.nanoTime() - begin) / 1000 * perMinute / 60_000_000;
            while (made < due) SESSIONS.put(made, login(made++));
            for (int i = 0; i < 20; i++) cache(cached++);
            Thread.sleep(5);
            if (local.hashCode() == made) System.out.println(local);
        }
    }
}
