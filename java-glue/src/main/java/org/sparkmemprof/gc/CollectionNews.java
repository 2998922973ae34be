package org.sparkmemprof.gc;

import com.sun.management.GarbageCollectionNotificationInfo;
import com.sun.management.GcInfo;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.lang.management.MemoryUsage;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.management.ListenerNotFoundException;
import javax.management.Notification;
import javax.management.NotificationEmitter;
import javax.management.NotificationListener;
import javax.management.openmbean.CompositeData;
import org.sparkmemprof.jni.NativeAgent;

/**
 * Passes every collection that the JVM's garbage collectors report to the agent. Runs on a thread
 * of the JVM, between collections; its exceptions reach nobody.
 */
public final class CollectionNews implements NotificationListener, AutoCloseable {
  private final List<NotificationEmitter> sources = new ArrayList<>();
  private final Set<String> heapPools = new HashSet<>();
  private String[] collectors = new String[0];

  private CollectionNews() {}

  /**
   * Call after {@link NativeAgent#start}. If this JVM can't report collections, the agent gets the
   * reason.
   */
  public static AutoCloseable start() {
    CollectionNews news = new CollectionNews();
    try {
      news.listen();
      return news;
    } catch (Throwable e) { // a run-time image without jdk.management, or a security manager
      news.close();
      NativeAgent.collectors(new String[0], "this JVM doesn't tell of its collections: " + e);
      return () -> {};
    }
  }

  private void listen() {
    for (MemoryPoolMXBean pool : ManagementFactory.getMemoryPoolMXBeans()) {
      if (pool.getType() == MemoryType.HEAP) {
        heapPools.add(pool.getName());
      }
    }
    GarbageCollectionNotificationInfo.class.getName(); // loads it here, not in a notification
    List<String> names = new ArrayList<>();
    List<NotificationEmitter> emitters = new ArrayList<>();
    for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
      names.add(collector.getName());
      if (collector instanceof NotificationEmitter) {
        emitters.add((NotificationEmitter) collector);
      }
    }
    collectors = names.toArray(new String[0]);
    NativeAgent.collectors(collectors, "");
    for (NotificationEmitter emitter : emitters) {
      emitter.addNotificationListener(this, null, null);
      sources.add(emitter);
    }
  }

  @Override
  public void handleNotification(Notification notification, Object handback) {
    try {
      if (GarbageCollectionNotificationInfo.GARBAGE_COLLECTION_NOTIFICATION.equals(
          notification.getType())) {
        tell(GarbageCollectionNotificationInfo.from((CompositeData) notification.getUserData()));
      }
    } catch (Throwable lost) {
      startAnew();
    }
  }

  /**
   * After a collection that is not reported (perhaps because the heap is full), the agent could
   * mistake its pause for that of another one. Allocates nothing in the heap.
   */
  private void startAnew() {
    try {
      NativeAgent.collectors(collectors, "");
    } catch (Throwable again) {
      // The next notification tries again.
    }
  }

  private void tell(GarbageCollectionNotificationInfo news) {
    GcInfo info = news.getGcInfo();
    NativeAgent.collectionEnded(
        news.getGcName(),
        news.getGcAction(),
        news.getGcCause(),
        info.getStartTime(),
        info.getEndTime(),
        usedBytes(info.getMemoryUsageBeforeGc()),
        usedBytes(info.getMemoryUsageAfterGc()),
        Runtime.getRuntime().maxMemory());
  }

  private long usedBytes(Map<String, MemoryUsage> pools) {
    long bytes = 0;
    for (Map.Entry<String, MemoryUsage> pool : pools.entrySet()) {
      if (heapPools.contains(pool.getKey())) {
        bytes += pool.getValue().getUsed();
      }
    }
    return bytes;
  }

  @Override
  public void close() {
    for (NotificationEmitter source : sources) {
      try {
        source.removeNotificationListener(this);
      } catch (ListenerNotFoundException gone) {
        // It isn't registered any more, which is what we want.
      }
    }
    sources.clear();
  }
}
