import java.util.ArrayList;
import java.util.List;
import org.sparkmemprof.jni.NativeAgent;

/**
 * Python workers that are killed in the middle of a task, none of them below the JVM by its name:
 * arguments are box_writer, its library, and a mode for each task, from 1 on. Prints each one's
 * pid.
 */
public final class PythonDeaths {
  public static void main(String[] args) throws Exception {
    Probe.start();
    List<Process> workers = new ArrayList<>();
    for (int task = 1; task + 1 < args.length; task++) {
      Probe.task(task);
      ProcessBuilder builder =
          new ProcessBuilder(args[0], "boxes", Integer.toString(task), args[task + 1], args[1]);
      Process worker = builder.redirectError(ProcessBuilder.Redirect.INHERIT).start();
      if (worker.getInputStream().readNBytes(6).length != 6)
        throw new AssertionError("box_writer did not start");
      System.out.println(worker.pid());
      workers.add(worker);
    }
    for (Process worker : workers) worker.destroyForcibly().waitFor();
    int told = Probe.await(Probe.WORKER_DEATH, 0);
    Probe.sleep(1500); // boxes are looked through twice a second: there is none that is told again
    told = Probe.drain(told);
    System.out.println("told so far: " + told);
    for (int task = 1; task <= workers.size(); task++) Probe.close(task, "task-" + task);
    NativeAgent.stop();
    Probe.drain(told);
  }
}
