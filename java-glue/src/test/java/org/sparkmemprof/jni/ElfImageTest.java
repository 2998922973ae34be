package org.sparkmemprof.jni;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

public class ElfImageTest {
  private static final int X86_64 = 62;
  private static final int ARM = 40;
  private static final int SEGMENT_AT = 200;
  private static final int SEGMENT_BYTES = 101;

  @Rule public final TemporaryFolder folder = new TemporaryFolder();

  /** A header, one program header, and a segment that ends with the file. */
  private static byte[] image(int machine) {
    ByteBuffer elf = ByteBuffer.allocate(SEGMENT_AT + SEGMENT_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    elf.put(0, (byte) 0x7f).put(1, (byte) 'E').put(2, (byte) 'L').put(3, (byte) 'F');
    elf.put(4, (byte) 2).put(5, (byte) 1);
    elf.putShort(18, (short) machine);
    elf.putLong(32, 64).putShort(54, (short) 56).putShort(56, (short) 1);
    elf.putLong(64 + 8, SEGMENT_AT).putLong(64 + 32, SEGMENT_BYTES);
    return elf.array();
  }

  private Path file(byte[] content) throws IOException {
    return Files.write(folder.newFile().toPath(), content);
  }

  @Test
  public void wholeImageOfThisMachineIsFit() throws IOException {
    assertNull(ElfImage.whyUnfit(file(image(X86_64)), "linux-x86_64"));
  }

  @Test
  public void foreignMachineIsNamed() throws IOException {
    assertEquals(
        "is built for another machine (ELF machine 40, not 62)",
        ElfImage.whyUnfit(file(image(ARM)), "linux-x86_64"));
  }

  @Test
  public void whatIsNoElfFileIsRefused() throws IOException {
    byte[] text = new byte[500];
    Arrays.fill(text, (byte) 'x');
    assertEquals("is no 64-bit ELF file", ElfImage.whyUnfit(file(text), "linux-x86_64"));
    assertEquals("is no 64-bit ELF file", ElfImage.whyUnfit(file(new byte[0]), "linux-x86_64"));
    assertFalse("only an ELF file can be truncated", ElfImage.isTruncated(file(text)));
  }

  @Test
  public void eachMissingByteIsNoticed() throws IOException {
    byte[] whole = image(X86_64);
    assertFalse(ElfImage.isTruncated(file(whole)));
    for (int length = 64; length < whole.length; length++) {
      assertTrue(length + " bytes", ElfImage.isTruncated(file(Arrays.copyOf(whole, length))));
    }
    assertEquals(
        "is truncated",
        ElfImage.whyUnfit(file(Arrays.copyOf(whole, whole.length - 1)), "linux-x86_64"));
  }

  @Test
  public void hostileOffsetsAreNoReasonToFail() throws IOException {
    for (long offset : new long[] {-1, Long.MAX_VALUE, Long.MIN_VALUE}) {
      byte[] elf = image(X86_64);
      ByteBuffer.wrap(elf).order(ByteOrder.LITTLE_ENDIAN).putLong(32, offset);
      assertTrue(ElfImage.isTruncated(file(elf)));
      elf = image(X86_64);
      ByteBuffer.wrap(elf).order(ByteOrder.LITTLE_ENDIAN).putLong(64 + 8, offset);
      assertTrue(ElfImage.isTruncated(file(elf)));
    }
  }
}
