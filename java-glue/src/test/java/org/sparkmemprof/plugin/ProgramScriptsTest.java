package org.sparkmemprof.plugin;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNull;

import org.junit.Test;

public class ProgramScriptsTest {
  private static final String SUBMIT = "org.apache.spark.deploy.SparkSubmit ";

  private static String scriptOf(String words) {
    return ProgramScripts.scriptOf(SUBMIT + words);
  }

  @Test
  public void theScriptIsTheFirstPythonFileThatIsNoOptionsValue() {
    assertEquals("job.py", scriptOf("--master local job.py more.py"));
    assertEquals("/j/job.py", scriptOf("--py-files a.py --conf k=v --verbose /j/job.py --x y.py"));
    assertEquals("job.py", scriptOf("--py-files job.py job.py"));
    assertEquals("/j/job.py", scriptOf("file:/j/job.py"));
    assertEquals("/j/job.py", scriptOf("local:///j/job.py"));
  }

  @Test
  public void otherProgramsHaveNone() {
    assertNull(scriptOf("--class Main app.jar"));
    assertNull(scriptOf("--py-files a.py pyspark-shell"));
    assertNull(ProgramScripts.scriptOf("com.example.Server job.py"));
    assertNull(ProgramScripts.scriptOf(""));
  }
}
