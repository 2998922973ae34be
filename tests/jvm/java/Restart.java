import org.sparkmemprof.jni.NativeAgent;

/** A second application in the same JVM, as a second SparkContext in local mode makes it. */
public final class Restart {
  private static volatile Object sink;

  static void allocate() {
    for (int i = 0; i < 300_000; i++) sink = new byte[1000];
  }

  public static void main(String[] args) throws Exception {
    Probe.start("interval=64k");
    Probe.task(1); // never closed
    allocate();
    NativeAgent.stop();
    int messages = Probe.drain(0);
    if (NativeAgent.taskClosed(1, Probe.MAX_BYTES) != null) throw new AssertionError("stopped");

    Probe.start("interval=16k");
    Probe.task(1); // the ids begin anew
    allocate();
    Probe.close(1, "task");
    NativeAgent.stop();
    Probe.drain(messages);
  }
}
