package org.sparkmemprof.notices;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The profiler's entries in the driver's and the executors' logs, under one name. */
public final class Log {
  /** By the name that users know from {@code spark.plugins}. Thread-safe. */
  public static final Logger LOG = LoggerFactory.getLogger("org.sparkmemprof.MemoryProfilerPlugin");

  private Log() {}
}
