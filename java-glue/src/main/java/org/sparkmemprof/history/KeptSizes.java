package org.sparkmemprof.history;

import java.util.HashMap;
import java.util.Map;

/**
 * How much of one event log is kept, by key: a newer record takes the place of an older one, as in
 * {@code common/eventlog/event_log.cc}. Of stages and executors there may be very many. What is
 * neither comes last and is small: one part in twelve is kept for it. Not thread-safe.
 */
final class KeptSizes {
  private static final int CHARS_OF_KEY = 100; // about what a record takes beside its text

  private static final int SHARE_OF_REST = 12;

  private final long most;
  private final Map<String, Integer> sizes = new HashMap<>();
  private long chars;

  KeptSizes(long most) {
    this.most = most;
  }

  /** Whether there is room for it. Then it counts. */
  boolean take(String key, int size, boolean ofMany) {
    Integer before = sizes.get(key);
    long after = chars + size - (before == null ? -CHARS_OF_KEY : before);
    if (after > most - (ofMany ? most / SHARE_OF_REST : 0)) {
      return false;
    }
    chars = after;
    sizes.put(key, size);
    return true;
  }
}
