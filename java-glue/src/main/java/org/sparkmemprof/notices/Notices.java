package org.sparkmemprof.notices;

/**
 * Reports missing or broken parts, each once. The user reads the driver's log, so the driver warns
 * there, and executors send their notices to the driver instead of filling their own logs.
 */
@FunctionalInterface
public interface Notices {
  /**
   * Reports that a part of the profiler is off; never throws, never blocks. Only the first notice
   * about each {@code what} is shown.
   *
   * @param what the part, e.g. {@code Python memory}
   * @param why the reason and what to do, in one line
   */
  void report(String what, String why);

  /**
   * As {@link #report}, in a full heap, too; never throws.
   *
   * @param why an IllegalArgumentException has the whole reason in its message, such as a setting
   *     with a wrong value
   */
  default void failed(String what, Throwable why) {
    try {
      boolean namesSetting = why instanceof IllegalArgumentException && why.getMessage() != null;
      report(what, namesSetting ? why.getMessage() : String.valueOf(why));
    } catch (Throwable full) {
      // The heap has no room even for this.
    }
  }
}
