package org.sparkmemprof.plugin;

import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.spark.TaskContext;
import org.apache.spark.api.plugin.ExecutorPlugin;
import org.apache.spark.api.plugin.PluginContext;
import org.sparkmemprof.accumulator.AccumulatorTemplate;
import org.sparkmemprof.files.PrivateDirectories;
import org.sparkmemprof.gc.CollectionNews;
import org.sparkmemprof.jni.NativeAgent;
import org.sparkmemprof.jni.NativeLibrary;
import org.sparkmemprof.listener.ExecutorResources;
import org.sparkmemprof.notices.OurThreads;

/**
 * The executor's half: starts the agent, puts the Python package in place, tells the agent which
 * task runs on which thread, and takes its profiles to the driver. Nothing thrown here reaches
 * Spark; a part that is not available is reported once, and the rest continues.
 */
public final class ExecutorSide implements ExecutorPlugin {
  private static final long MOST_EXIT_SECONDS = 4;

  /**
   * In local mode the executor starts before the application has an id. It waits here until the
   * driver's half, in the same JVM, knows it.
   */
  private static volatile ExecutorSide waiting; // changed under the class's lock

  private PluginContext context;
  private ExecutorIdentity self;
  private Settings settings;
  private ExecutorNotices notices;
  private AccumulatorTemplate template;
  private BoxDirectory boxes;
  private PythonPackage python;
  private DriverLink link;
  private AutoCloseable collections;
  private final CountDownLatch ended = new CountDownLatch(1);
  private final AtomicBoolean ending = new AtomicBoolean();
  private boolean agentRuns;
  private Thread exitHook;
  private volatile TaskProfiles tasks; // null: inert
  // Made here, because the heap may be full at the end.
  private final Step closeTasks = () -> tasks.close();
  private final Step closeCollections = () -> collections.close();
  private final Step stopAgent = NativeAgent::stop;
  private final Step finishLink = () -> link.finish();
  private final Step closeLink = () -> link.close();
  private final Step removePython = () -> python.remove();
  private final Step leaveBoxes = () -> boxes.leave();
  private final Runnable removingPython = () -> step(removePython);
  private final Runnable leavingBoxes = () -> step(leaveBoxes);

  @Override
  public void init(PluginContext pluginContext, Map<String, String> extraConf) {
    String accumulator = extraConf.get(DriverSide.ACCUMULATOR);
    if (accumulator == null || accumulator.isEmpty()) {
      return; // switched off, or the driver can't keep profiles and has said why
    }
    context = pluginContext;
    self = new ExecutorIdentity(context.executorID());
    notices = new ExecutorNotices(context, self);
    try {
      settings = new Settings(context.conf());
      template = AccumulatorTemplate.decode(accumulator);
      if (self.inDriver) {
        waitForApplicationId(this);
      } else {
        begin(context.conf().getAppId());
      }
    } catch (Throwable e) {
      notices.failed("profiling", e);
    }
  }

  private static synchronized void waitForApplicationId(ExecutorSide side) {
    waiting = side;
  }

  /** The driver's half calls this; does nothing unless an executor in this JVM waits for it. */
  static synchronized void applicationIdKnown(String applicationId) {
    ExecutorSide side = waiting;
    waiting = null;
    if (side != null) {
      side.begin(applicationId);
    }
  }

  /**
   * Never throws. Whatever has begun when a later step throws is ended again: what is reported as
   * off is off, and a later application in this JVM finds nothing that runs.
   */
  private synchronized void begin(String applicationId) {
    if (ending.get()) {
      return; // it is told to end before it has begun
    }
    try {
      start(applicationId);
    } catch (Throwable e) {
      if (!isExiting()) { // else nobody misses it: an application may end before this has begun
        notices.failed("profiling", e);
      }
      end();
      removeExitHook();
    }
  }

  private static boolean isExiting() {
    Thread hook = new Thread();
    try {
      Runtime.getRuntime().addShutdownHook(hook);
      Runtime.getRuntime().removeShutdownHook(hook);
      return false;
    } catch (IllegalStateException exiting) {
      return true;
    }
  }

  private void start(String applicationId) {
    boolean ownDirectory = !self.inDriver;
    String problem = NativeLibrary.load(PrivateDirectories.forCode(ownDirectory));
    if (problem != null) {
      notices.report("profiling", problem);
      return;
    }
    StringBuilder failures = new StringBuilder();
    boxes =
        BoxDirectory.make(
            settings.boxDirectory,
            BoxDirectory.nameOf(applicationId, context.conf()),
            self.id,
            ownDirectory,
            settings.patience,
            failures,
            notices);
    if (boxes == null) {
      notices.report(
          "profiling",
          "no private directory for black boxes: " + failures + " (set spark.memprof.box.dir)");
      return;
    }
    String inert =
        NativeAgent.start(
            applicationId, self.id, self.host, boxes.path().toString(), agentOptions());
    if (inert != null) {
      notices.report("profiling", inert);
      return;
    }
    agentRuns = true;
    if (settings.pythonEnabled) {
      python =
          PythonPackage.install(
              applicationId, context.conf(), self, settings, boxes.path(), notices);
    }
    boxes.removeLeftovers();
    collections = CollectionNews.start();
    link = new DriverLink(context::send, self.id, settings.patience, notices);
    // An executor is told to shut down and gets SIGTERM in the same moment: the exiting JVM waits
    // for its hooks, but not for the thread that shuts us down.
    exitHook = OurThreads.hook("exit", this::awaitEnd);
    Runtime.getRuntime().addShutdownHook(exitHook);
    tasks = new TaskProfiles(template, settings, notices);
    tasks.start();
  }

  private String[] agentOptions() {
    String master = context.conf().get("spark.master", "");
    boolean isHeld = master.equals("yarn") || master.startsWith("k8s://"); // else to no grant
    ExecutorResources own =
        ExecutorResources.of(self.id, context.conf(), isHeld ? OwnProfile.find(notices) : null);
    long granted =
        NativeAgent.grantedBytes(
            Redaction.entries(context.conf()),
            own.heapMib,
            own.overheadMib,
            own.offHeapMib,
            own.pysparkMib);
    return ContainerOptions.added(Settings.agentOptions(context.conf()), granted, context.conf());
  }

  @Override
  public void onTaskStart() {
    if (waiting == this) {
      // The driver's half is another class: spark.executor.userClassPathFirst in local mode.
      applicationIdKnown(context.conf().getAppId());
    }
    TaskProfiles profiles = tasks;
    TaskContext task = TaskContext.get();
    if (profiles != null && task != null) {
      profiles.started(task);
    }
  }

  @Override
  public void shutdown() {
    end();
    removeExitHook();
  }

  private void removeExitHook() {
    try {
      if (exitHook != null) {
        Runtime.getRuntime().removeShutdownHook(exitHook);
      }
    } catch (IllegalStateException exiting) {
      // It has waited for this thread.
    }
  }

  /**
   * Ends what has begun, once. Runs each step even if others failed; most important, the agent has
   * to be stopped. On a busy machine that takes seconds, and Spark kills after ten, so files are
   * removed first.
   */
  private synchronized void end() {
    if (!ending.compareAndSet(false, true)) {
      return;
    }
    if (python != null) {
      FileWork.within(FileWork.REMOVAL, removingPython, settings.patience, notices);
    }
    if (tasks != null) {
      step(closeTasks);
      tasks = null;
    }
    if (collections != null) {
      step(closeCollections);
    }
    if (agentRuns) {
      step(stopAgent);
    }
    if (link != null) {
      step(finishLink);
    }
    if (boxes != null) {
      FileWork.within(FileWork.REMOVAL, leavingBoxes, settings.patience, notices);
    }
    if (link != null) {
      step(closeLink); // last, for it may take a while
    }
    ended.countDown();
  }

  private interface Step {
    void run() throws Exception;
  }

  private void step(Step step) {
    try {
      step.run();
    } catch (Throwable e) {
      notices.failed("the end of the profile", e);
    }
  }

  private void awaitEnd() {
    try {
      ended.await(MOST_EXIT_SECONDS * settings.patience, TimeUnit.SECONDS);
    } catch (InterruptedException impatient) {
      // The JVM exits now.
    }
  }
}
