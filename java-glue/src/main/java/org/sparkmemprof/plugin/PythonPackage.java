package org.sparkmemprof.plugin;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.SparkConf;
import org.sparkmemprof.files.Claim;
import org.sparkmemprof.files.JarMember;
import org.sparkmemprof.files.Leftovers;
import org.sparkmemprof.files.Mounts;
import org.sparkmemprof.files.PrivateDirectories;
import org.sparkmemprof.jni.ElfImage;
import org.sparkmemprof.notices.Notices;
import org.sparkmemprof.notices.OurThreads;

/**
 * The executor's copy of the Python package {@code sparkmemprof}, copied from the jar into a
 * private directory. Workers find it through {@code PYTHONPATH}, and start by its daemon module.
 * That setting is made last, when everything else is in place, so that a worker never needs a
 * module that isn't there.
 */
final class PythonPackage {
  static final String DAEMON_SETTING = "spark.python.daemon.module";

  private static final String DAEMON_MODULE = "sparkmemprof.daemon";
  private static final String DAEMON_FILE = "sparkmemprof/daemon.py";
  private static final String WHAT = "memory of Python workers";
  private static final String MANIFEST = "manifest.txt";
  private static final String ROOT = "/python/";

  private final Path directory;
  private final Claim claim;
  private final SparkConf conf;

  private PythonPackage(Path directory, Claim claim, SparkConf conf) {
    this.directory = directory;
    this.claim = claim;
    this.conf = conf;
  }

  /**
   * @return null when Python stays unprofiled; the reason has then been reported
   */
  static PythonPackage install(
      String applicationId,
      SparkConf conf,
      ExecutorIdentity self,
      Settings settings,
      Path boxDirectory,
      Notices notices) {
    if (DAEMON_MODULE.equals(conf.get(DAEMON_SETTING, null))) {
      conf.remove(DAEMON_SETTING); // copied from an earlier SparkContext: not yet true of this one
    }
    String why = whyNot(conf);
    if (why != null) {
      notices.report(WHAT, why);
      return null;
    }
    Path directory = null;
    Claim claim = null;
    try {
      List<String> failures = new ArrayList<>();
      directory = place(applicationId, !self.inDriver, failures, notices);
      if (directory == null) {
        notices.report(WHAT, "no directory for the Python package: " + failures);
        return null;
      }
      claim = Claim.make(directory.resolve(Leftovers.PACKAGE_CLAIM));
      Path ours = directory.getParent().getParent();
      if (!ours.equals(boxDirectory.getParent())) { // that is cleaned with the boxes
        OurThreads.daemon("leftovers").newThread(() -> Leftovers.remove(ours)).start();
      }
      for (String file : manifest(directory)) {
        copy(file, directory);
      }
      if (!Files.exists(directory.resolve(DAEMON_FILE))) {
        throw new IOException("the jar's Python package has no " + DAEMON_FILE);
      }
      String config = config(applicationId, self.id, boxDirectory.toString(), settings);
      Files.write(
          directory.resolve("sparkmemprof/config.json"), config.getBytes(StandardCharsets.UTF_8));
      SearchPath.prepend(directory.toString());
      conf.set(DAEMON_SETTING, DAEMON_MODULE);
      return new PythonPackage(directory, claim, conf);
    } catch (IOException | ReflectiveOperationException | RuntimeException e) {
      notices.report(WHAT, e.getMessage() == null ? e.toString() : e.getMessage());
      if (claim != null) {
        claim.release();
      }
      PrivateDirectories.deleteTree(directory);
      return null;
    }
  }

  private static String whyNot(SparkConf conf) {
    String daemon = conf.get(DAEMON_SETTING, null);
    if (daemon != null) {
      return DAEMON_SETTING + " is set to " + daemon + ": unset it to have Python profiled";
    }
    if (!conf.getBoolean("spark.python.use.daemon", true)) {
      return "spark.python.use.daemon is false: unset it to have Python profiled";
    }
    return HidingModule.whyHidden(
        Paths.get("").toAbsolutePath(), conf.get("spark.executorEnv.PYTHONPATH", ""));
  }

  /** The package's files, relative to {@code python/} in the jar. */
  private static List<String> manifest(Path directory) throws IOException {
    Path copy = directory.resolve(MANIFEST);
    if (!JarMember.copy(ROOT + MANIFEST, copy)) {
      throw new IOException("the jar holds no Python package (python/" + MANIFEST + ")");
    }
    return Files.readAllLines(copy, StandardCharsets.UTF_8);
  }

  /** A fresh private directory whose libraries Python can load. */
  private static Path place(
      String applicationId,
      boolean workingDirectoryIsOurs,
      List<String> failures,
      Notices notices) {
    for (Path candidate : PrivateDirectories.forCode(workingDirectoryIsOurs)) {
      if (!Mounts.allowsExecution(candidate)) {
        failures.add(candidate + " is mounted noexec");
        continue;
      }
      try {
        Path parent = PrivateDirectories.makeOurs(candidate, notices::report, applicationId);
        return Files.createTempDirectory(parent, Leftovers.PACKAGE_PREFIX); // 0700
      } catch (IOException | SecurityException e) {
        failures.add(e.toString());
      }
    }
    return null;
  }

  private static void copy(String file, Path directory) throws IOException {
    Path target = directory.resolve(file).normalize();
    if (!target.startsWith(directory)) {
      throw new IOException("python/manifest.txt names a file outside its directory: " + file);
    }
    Files.createDirectories(target.getParent());
    if (!JarMember.copy(ROOT + file, target)) {
      return; // a shim for one CPython may be left out: the package copes, and says so
    }
    if (ElfImage.isTruncated(target)) {
      Files.write(target, new byte[0]); // an ImportError instead of a dead worker
    }
  }

  /** What the package reads at a worker's start. */
  static String config(
      String applicationId, String executorId, String boxDirectory, Settings settings) {
    return "{\"applicationId\": "
        + quoted(applicationId)
        + ", \"executorId\": "
        + quoted(executorId)
        + ", \"boxDirectory\": "
        + quoted(boxDirectory)
        + ", \"intervalBytes\": "
        + settings.pythonIntervalBytes
        + ", \"arrowPool\": "
        + quoted(settings.arrowPool)
        + "}\n";
  }

  /** A JSON string. */
  static String quoted(String text) {
    StringBuilder out = new StringBuilder("\"");
    for (char c : text.toCharArray()) {
      if (c == '"' || c == '\\') {
        out.append('\\').append(c);
      } else if (c < 0x20) {
        out.append(String.format("\\u%04x", (int) c));
      } else {
        out.append(c);
      }
    }
    return out.append('"').toString();
  }

  /** Undoes {@link #install}: a later SparkContext in this JVM starts afresh. */
  void remove() {
    conf.remove(DAEMON_SETTING);
    try {
      SearchPath.remove(directory.toString());
    } catch (ReflectiveOperationException | RuntimeException left) {
      // A path that no longer exists does no harm.
    }
    claim.release();
    PrivateDirectories.deleteTree(directory);
    PrivateDirectories.deleteIfEmpty(directory.getParent());
  }
}
