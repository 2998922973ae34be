package org.sparkmemprof.files;

import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import java.nio.file.Paths;
import java.util.Arrays;
import java.util.List;
import org.junit.Test;

public class MountsTest {
  private static final List<String> MOUNTS =
      Arrays.asList(
          "/dev/root / ext4 rw,relatime 0 0",
          "none /tmp tmpfs rw,noexec,nosuid 0 0",
          "none /tmp/code tmpfs rw 0 0",
          "none /a\\040blank tmpfs rw,noexec 0 0",
          "none /twice tmpfs rw,noexec 0 0",
          "none /twice tmpfs rw 0 0",
          "garbage");

  private static boolean allowed(String path) {
    return Mounts.allowsExecution(Paths.get(path), MOUNTS);
  }

  @Test
  public void theInnermostMountDecides() {
    assertTrue(allowed("/home/me"));
    assertFalse(allowed("/tmp"));
    assertFalse(allowed("/tmp/deep/below"));
    assertTrue(allowed("/tmp/code/below"));
  }

  @Test
  public void aNameThatStartsAlikeIsAnotherDirectory() {
    assertTrue(allowed("/tmpfoo"));
  }

  @Test
  public void blanksAreEscapedByTheKernel() {
    assertFalse(allowed("/a blank/below"));
  }

  @Test
  public void theLastOfTwoMountsLiesOnTop() {
    assertTrue(allowed("/twice/below"));
  }

  @Test
  public void whatIsUnknownIsAllowed() {
    assertTrue(Mounts.allowsExecution(Paths.get("/no/such/directory")));
  }
}
