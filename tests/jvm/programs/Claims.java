/** Known allocations, in a compiled loop too, and a monitor that one waits for while another has it. */
public class Claims {
  static class Counted {
    long a, b;
  }

  static final Object LOCK = new Object();
  static final int ROUNDS = 30_000, ARRAYS = 500, WAITS = 20;
  static Object kept;

  static void counted() {
    kept = new Counted();
  }

  static void arrays() {
    for (int i = 0; i < ARRAYS; i++) kept = new short[i];
  }

  static void waitForLock() {
    synchronized (LOCK) {
      kept = LOCK;
    }
  }

  public static void main(String[] args) throws Exception {
    for (int i = 0; i < ROUNDS; i++) counted();
    arrays();
    for (int i = 0; i < WAITS; i++) {
      Thread waiting = new Thread(Claims::waitForLock, "waiting");
      synchronized (LOCK) {
        waiting.start();
        while (waiting.getState() != Thread.State.BLOCKED) Thread.onSpinWait();
        Thread.sleep(20);  // BLOCKED is told before the agent hears of it, and it asks for an owner
      }
      waiting.join();
    }
    System.out.println("counted " + ROUNDS + " arrays " + ARRAYS + " waits " + WAITS);
  }
}
