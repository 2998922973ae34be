package org.sparkmemprof.listener;

import org.apache.spark.scheduler.StageInfo;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.BlockUpdatedInfo;
import org.apache.spark.storage.BroadcastBlockId;
import org.apache.spark.storage.RDDBlockId;
import org.apache.spark.storage.RDDInfo;
import org.apache.spark.storage.StorageLevel;
import org.sparkmemprof.jni.NativeFeed;
import org.sparkmemprof.report.StoreFeeder;
import scala.collection.Iterator;

/** Blocks of cached data and of broadcast variables, as executors report them to the driver. */
final class CachedBlocks {
  private static final String PIECE = "piece";

  private CachedBlocks() {}

  /** The RDDs of a stage that are to be cached: blocks have numbers only. */
  static void describe(StageInfo stage, StoreFeeder feeder) throws ReflectiveOperationException {
    Iterator<?> rdds = ScalaViews.elements(stage, "rddInfos");
    while (rdds.hasNext()) {
      RDDInfo rdd = (RDDInfo) rdds.next();
      StorageLevel level = rdd.storageLevel();
      if (level.useMemory() || level.useDisk()) {
        int id = rdd.id();
        String name = rdd.name() == null ? "" : rdd.name();
        String callSite = rdd.callSite();
        int partitions = rdd.numPartitions();
        feeder.event(
            feed ->
                NativeFeed.cachedRdd(
                    feed,
                    id,
                    name,
                    callSite,
                    level.useDisk(),
                    level.useMemory(),
                    level.useOffHeap(),
                    level.deserialized(),
                    level.replication(),
                    partitions));
      }
    }
  }

  static void updated(BlockUpdatedInfo update, StoreFeeder feeder) {
    BlockId block = update.blockId();
    boolean kept = update.storageLevel().useMemory() || update.storageLevel().useDisk();
    long memory = kept ? update.memSize() : 0;
    long disk = kept ? update.diskSize() : 0;
    String executor = update.blockManagerId().executorId();
    if (block instanceof RDDBlockId) {
      int rdd = ((RDDBlockId) block).rddId();
      int partition = ((RDDBlockId) block).splitIndex();
      feeder.event(
          feed -> NativeFeed.blockUpdated(feed, false, rdd, partition, executor, memory, disk));
    } else if (block instanceof BroadcastBlockId) {
      long variable = ((BroadcastBlockId) block).broadcastId();
      int piece = pieceOf(((BroadcastBlockId) block).field());
      if (piece >= 0) {
        feeder.event(
            feed -> NativeFeed.blockUpdated(feed, true, variable, piece, executor, memory, disk));
      }
    }
  }

  /** -1: the value itself, whose size the driver doesn't get. */
  private static int pieceOf(String field) {
    try {
      return field.startsWith(PIECE) ? Integer.parseInt(field.substring(PIECE.length())) : -1;
    } catch (NumberFormatException other) {
      return -1;
    }
  }
}
