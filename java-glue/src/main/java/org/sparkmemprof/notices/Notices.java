package org.sparkmemprof.notices;

/**
 * Where a missing or broken piece is told, once each. The user reads the driver's log: the driver
 * warns there, and executors send their notices to it instead of filling their own logs.
 */
@FunctionalInterface
public interface Notices {
  /**
   * Tells that a part of the profiler is off; never throws, never blocks. Only the first notice
   * about each {@code what} is shown.
   *
   * @param what the part, e.g. {@code Python memory}
   * @param why the reason and the way out, in one line
   */
  void report(String what, String why);
}
