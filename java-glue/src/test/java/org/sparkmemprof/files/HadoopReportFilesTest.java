package org.sparkmemprof.files;

import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import org.junit.Test;

public class HadoopReportFilesTest {
  @Test
  public void objectStoresAreKnownByTheirScheme() {
    for (String scheme : new String[] {"s3a", "S3", "gs", "wasbs"}) {
      assertTrue(scheme, HadoopReportFiles.isObjectStore(scheme));
    }
    for (String scheme : new String[] {"hdfs", "viewfs", "file", "abfss", null}) {
      assertFalse(scheme, HadoopReportFiles.isObjectStore(scheme));
    }
  }
}
