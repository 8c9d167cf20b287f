import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;

/**
 * Classes, methods, source files, threads, values and messages whose names hold what commands a
 * terminal. Until the end of stdin one thread calls and allocates, two others fight for a lock.
 */
public class HostileNames {
    /** All that is legal in any name: ESC, BEL, NUL, CR, LF, DEL, C1, bidi controls, half a pair. */
    static final String HOSTILE = "\u001b]0" + (char) 7 + (char) 0 + "\r\nFORGED\t" + (char) 0x7f
        + "\u0085\u009b31m\u202e\u202a\u2066\u2069\u2028\ud83d";

    /** Its copy has hostile names: wherever these classes say EVIL. */
    public static class EVIL implements Runnable {
        Object kept;

        public static final class EVILTill { }

        String EVILcall(String value, int turn) {
            kept = new EVIL[1];
            if (turn % 2 == 0) throw new IllegalStateException(value);
            return value + turn;
        }

        void EVILwait() {
            synchronized (lock()) {
                kept = new EVILTill[2];
                sleep(5);
            }
        }

        static Object till;

        static synchronized Object lock() {
            if (till == null) till = new EVILTill();
            return till;
        }

        @Override
        public void run() {
            boolean calls = Thread.currentThread().getName().startsWith("calls");
            for (int turn = 0;; turn++) {
                if (!calls) {
                    EVILwait();
                    continue;
                }
                try {
                    EVILcall(HOSTILE, turn);
                } catch (IllegalStateException expected) {
                    kept = expected;
                }
                sleep(1);
            }
        }
    }

    public static void sleep(long ms) {
        try {
            Thread.sleep(ms);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    static byte[] with(byte[] classFile) throws IOException {
        DataInputStream in = new DataInputStream(new java.io.ByteArrayInputStream(classFile));
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        out.writeInt(in.readInt());
        out.writeInt(in.readInt());
        int count = in.readUnsignedShort();
        out.writeShort(count);
        for (int i = 1; i < count; i++) {
            int tag = in.readUnsignedByte();
            out.writeByte(tag);
            switch (tag) {
                case 1 -> {
                    String text = in.readUTF();
                    text = text.endsWith(".java") ? HOSTILE + text : text;
                    out.writeUTF(text.replace("EVIL", "EVIL" + bare()));
                }
                case 5, 6 -> {
                    out.writeLong(in.readLong());
                    i++;
                }
                case 15 -> out.write(in.readNBytes(3));
                case 7, 8, 16, 19, 20 -> out.write(in.readNBytes(2));
                default -> out.write(in.readNBytes(4));
            }
        }
        out.write(in.readAllBytes());
        return bytes.toByteArray();
    }

    /** What may stand in the name of a class or a method. */
    static String bare() {
        return HOSTILE.replaceAll("[.;\\[/<>]", "");
    }

    static final class Copies extends ClassLoader {
        Copies() {
            super(HostileNames.class.getClassLoader());
        }

        @Override
        protected Class<?> findClass(String name) throws ClassNotFoundException {
            String plain = name.replace(bare(), "");
            try (InputStream in = getParent().getResourceAsStream(plain + ".class")) {
                if (in == null || plain.equals(name)) throw new ClassNotFoundException(name);
                byte[] bytes = with(in.readAllBytes());
                return defineClass(name, bytes, 0, bytes.length);
            } catch (IOException e) {
                throw new ClassNotFoundException(name, e);
            }
        }
    }

    public static void main(String[] args) throws Exception {
        Class<?> evil = new Copies().loadClass("HostileNames$EVIL" + bare());
        for (String name : new String[] {"calls", "one", "two"}) {
            Runnable run = (Runnable) evil.getDeclaredConstructor().newInstance();
            Thread thread = new Thread(run, name + HOSTILE);
            thread.setDaemon(true);
            thread.start();
        }
        System.out.println("ready");
        while (System.in.read() >= 0) { }
        System.out.println("ends");
    }
}
