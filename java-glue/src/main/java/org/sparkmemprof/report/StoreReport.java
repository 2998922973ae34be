package org.sparkmemprof.report;

import java.io.IOException;
import java.io.OutputStream;
import org.sparkmemprof.jni.NativeReport;

/** A report of the native store. */
final class StoreReport implements Report {
  private static final int TEXT_COLUMNS = 100;
  private static final int TEXT_LINES = 25;

  private long handle; // 0: closed

  private StoreReport(long handle) {
    this.handle = handle;
  }

  /** The reports of {@code feeder}'s store. */
  static Source source(StoreFeeder feeder) {
    return new Source() {
      @Override
      public boolean isClosed() {
        return feeder.isClosed();
      }

      @Override
      public void goTo(String directory, boolean withSource) {
        feeder.willBeReported(directory, withSource);
      }

      @Override
      public void isThere() {
        feeder.isReported();
      }

      @Override
      public Report make(boolean unfinished, boolean withSource) {
        if (unfinished) {
          feeder.settle();
        }
        long handle = feeder.report(unfinished, withSource);
        return handle == 0 ? null : new StoreReport(handle);
      }
    };
  }

  @Override
  public void json(OutputStream to, boolean pageFollows) throws IOException {
    if (pageFollows) {
      NativeReport.json(handle, to);
    } else {
      NativeReport.jsonAlone(handle, to);
    }
  }

  @Override
  public void html(OutputStream to) throws IOException {
    NativeReport.html(handle, to);
  }

  @Override
  public byte[] summary() {
    return NativeReport.text(handle, TEXT_COLUMNS, TEXT_LINES);
  }

  @Override
  public String headline() {
    return NativeReport.headline(handle);
  }

  @Override
  public boolean callsForAction() {
    return NativeReport.callsForAction(handle);
  }

  @Override
  public void close() {
    NativeReport.free(handle);
    handle = 0;
  }
}
