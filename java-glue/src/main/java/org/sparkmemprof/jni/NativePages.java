package org.sparkmemprof.jni;

/**
 * A store's report as web pages: mirrors {@code common/store/live_pages.h}. Pages are a handle that
 * depends on the store's handle. An answer is an independent handle; it stays in native memory and
 * is read in pieces. {@link #answer} is thread-safe; handles of answers must not be 0.
 */
public final class NativePages {
  private NativePages() {}

  /**
   * @param store must outlive the pages
   * @return a handle, or 0 without native memory; release it with {@link #close}
   */
  public static native long open(long store);

  public static native void close(long pages);

  /** Frees the last report if it is too old to be shown again. */
  public static native void forgetStale(long pages);

  /**
   * @param path below the tab, decoded
   * @param query as in the URL; null: none
   * @return a handle, or 0 without native memory; release it with {@link #free}
   */
  public static native long answer(long pages, String path, String query);

  /** HTTP's. */
  public static native int status(long answer);

  public static native String contentType(long answer);

  /** Bytes of the body. */
  public static native long size(long answer);

  /** Copies the body from {@code offset} on; returns how many bytes, 0 at its end. */
  public static native int read(long answer, long offset, byte[] into);

  public static native void free(long answer);
}
