import java.nio.file.Files;
import java.nio.file.Path;
import org.sparkmemprof.jni.NativeAgent;

/** Sixty tasks, one after another, in some two seconds; then one that still runs. */
public final class ShortTasks {
  private static final int TASKS = 60;

  public static void main(String[] args) throws Exception {
    Probe.start();
    Probe.sleep(500); // the watcher has looked
    for (int task = 1; task <= TASKS; task++) {
      Probe.task(task);
      Probe.sleep(30);
      Probe.close(task, String.format("ended-%02d", task));
    }
    Probe.task(TASKS + 1);
    Files.write(Path.of("interim"), NativeAgent.taskSnapshot(TASKS + 1, Probe.MAX_BYTES));
    NativeAgent.stop();
  }
}
