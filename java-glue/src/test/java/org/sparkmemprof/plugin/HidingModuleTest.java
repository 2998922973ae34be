package org.sparkmemprof.plugin;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

public class HidingModuleTest {
  @Rule public final TemporaryFolder folder = new TemporaryFolder();

  /** A directory with these files. */
  private Path with(String... files) throws IOException {
    Path directory = folder.newFolder().toPath();
    for (String file : files) {
      Files.createDirectories(directory.resolve(file).getParent());
      Files.createFile(directory.resolve(file));
    }
    return directory;
  }

  @Test
  public void othersHideNothing() throws Exception {
    Path other = with("sparkmemprof_of_mine.py", "spark/memprof.py");
    assertNull(HidingModule.whyHidden(other, other + "::" + other.resolve("none")));
    assertNull(HidingModule.whyHidden(other, ""));
  }

  @Test
  public void aModuleOfTheUsersIsToBeRenamed() throws Exception {
    Path other = with("a.py");
    for (String module : new String[] {"sparkmemprof.py", "sparkmemprof/__init__.py"}) {
      Path mine = with(module);
      String why =
          mine.resolve(module) + " hides the profiler's package: rename it to have Python profiled";
      assertEquals(why, HidingModule.whyHidden(mine, ""));
      assertEquals(why, HidingModule.whyHidden(other, other + ":" + mine));
    }
  }

  @Test
  public void aCopyOfOursIsNotToBeRenamed() throws Exception {
    Path other = with("a.py");
    Path copy = with("sparkmemprof/__init__.py", "sparkmemprof/daemon.py");
    String why = HidingModule.whyHidden(other, other + ":" + copy);
    assertTrue(
        why,
        why.startsWith(copy.resolve("sparkmemprof") + " is a copy of the profiler's own package"));
    assertTrue(why, why.contains("take " + copy + " out of PYTHONPATH where you submit"));
    assertFalse(why, why.contains("rename"));
    assertTrue(HidingModule.whyHidden(copy, "").contains("remove it there"));
  }
}
