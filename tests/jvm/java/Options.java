/**
 * Starts the agent with the options given as arguments and says whether it is on; the program goes
 * on either way.
 */
public final class Options {
  public static void main(String[] args) throws Exception {
    String reason;
    try {
      reason = Probe.tryStart(args);
    } catch (UnsatisfiedLinkError e) {
      reason = "not loaded";
    }
    System.out.println(reason == null ? "on" : "inert: " + reason);
    Probe.task(1);
    byte[] garbage = new byte[4_000_000];
    Probe.close(1, "task");
    System.out.println("went on with " + garbage.length);
  }
}
