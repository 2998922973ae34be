package org.sparkmemprof.plugin;

import java.lang.reflect.Field;
import org.apache.spark.SparkEnv;
import org.apache.spark.executor.CoarseGrainedExecutorBackend;
import org.apache.spark.executor.ExecutorBackend;
import org.apache.spark.resource.ResourceProfile;
import org.sparkmemprof.notices.Notices;
import scala.Option;

/**
 * The ResourceProfile that this executor was started for, which says how large its container is.
 * Spark tells plugins nothing of it; its backend, in Spark 3.5 and 4, keeps it in a private field.
 */
final class OwnProfile {
  private static final String FIELD = "resourceProfile";

  private OwnProfile() {}

  /** Null: it isn't known, or there is no backend of its own, as in local mode. */
  static ResourceProfile find(Notices notices) {
    try {
      SparkEnv env = SparkEnv.get();
      Option<ExecutorBackend> backend = env == null ? Option.empty() : env.executorBackend();
      if (backend.isEmpty() || !(backend.get() instanceof CoarseGrainedExecutorBackend)) {
        return null;
      }
      Field field = CoarseGrainedExecutorBackend.class.getDeclaredField(FIELD);
      field.setAccessible(true);
      return (ResourceProfile) field.get(backend.get());
    } catch (ReflectiveOperationException | RuntimeException | LinkageError e) {
      notices.failed("the size of a container of another ResourceProfile", e);
      return null;
    }
  }
}
