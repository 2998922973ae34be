package org.sparkmemprof.report;

import org.sparkmemprof.jni.NativeStore;

/** The report of the native store. */
final class StoreReport implements Report {
  private static final int TEXT_COLUMNS = 100;
  private static final int TEXT_LINES = 25;

  private final StoreFeeder feeder;

  StoreReport(StoreFeeder feeder) {
    this.feeder = feeder;
  }

  @Override
  public boolean isClosed() {
    return feeder.isClosed();
  }

  @Override
  public byte[] json(boolean unfinished, boolean withSource) {
    return feeder.reportJson(unfinished, withSource);
  }

  @Override
  public byte[] html(byte[] json) {
    return NativeStore.html(json);
  }

  @Override
  public byte[] summary(byte[] json) {
    return NativeStore.text(json, TEXT_COLUMNS, TEXT_LINES);
  }

  @Override
  public boolean callsForAction(byte[] json) {
    return NativeStore.callsForAction(json);
  }
}
