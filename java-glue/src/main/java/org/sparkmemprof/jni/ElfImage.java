package org.sparkmemprof.jni;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;

/**
 * Checks a shared object before it is loaded. The dynamic linker refuses a file for another
 * machine, but a truncated file is mapped beyond its end and kills the process.
 */
public final class ElfImage {
  private static final int HEADER_BYTES = 64;
  private static final int MACHINE = 18;
  private static final int PROGRAM_HEADERS = 32;
  private static final int PROGRAM_HEADER_BYTES = 54;
  private static final int PROGRAM_HEADER_COUNT = 56;
  private static final int SEGMENT_OFFSET = 8;
  private static final int SEGMENT_FILE_BYTES = 32;
  private static final int EM_X86_64 = 62;
  private static final int EM_AARCH64 = 183;

  private ElfImage() {}

  /**
   * @return null when the file is a whole 64-bit little-endian ELF file for {@code platform}
   */
  static String whyUnfit(Path file, String platform) throws IOException {
    try (FileChannel channel = FileChannel.open(file)) {
      ByteBuffer header = headerOf(channel);
      if (header == null) {
        return "is no 64-bit ELF file";
      }
      int machine = header.getShort(MACHINE) & 0xffff;
      int wanted = platform.endsWith("aarch64") ? EM_AARCH64 : EM_X86_64;
      if (machine != wanted) {
        return "is built for another machine (ELF machine " + machine + ", not " + wanted + ")";
      }
      return segmentsFit(channel, header) ? null : "is truncated";
    }
  }

  /** True for an ELF file with a segment that reaches beyond its end; false for other files. */
  public static boolean isTruncated(Path file) throws IOException {
    try (FileChannel channel = FileChannel.open(file)) {
      ByteBuffer header = headerOf(channel);
      return header != null && !segmentsFit(channel, header);
    }
  }

  private static ByteBuffer headerOf(FileChannel channel) throws IOException {
    ByteBuffer header = read(channel, 0, HEADER_BYTES);
    boolean elf64 =
        header != null
            && header.getInt(0) == 0x464c457f // \x7f E L F
            && header.get(4) == 2
            && header.get(5) == 1;
    return elf64 ? header : null;
  }

  private static boolean segmentsFit(FileChannel channel, ByteBuffer header) throws IOException {
    int each = header.getShort(PROGRAM_HEADER_BYTES) & 0xffff;
    int count = header.getShort(PROGRAM_HEADER_COUNT) & 0xffff;
    ByteBuffer segments = read(channel, header.getLong(PROGRAM_HEADERS), each * count);
    if (segments == null || each < SEGMENT_FILE_BYTES + Long.BYTES) {
      return false;
    }
    for (int i = 0; i < count; i++) {
      long offset = segments.getLong(i * each + SEGMENT_OFFSET);
      long length = segments.getLong(i * each + SEGMENT_FILE_BYTES);
      if (offset < 0 || length < 0 || length > channel.size() - offset) {
        return false;
      }
    }
    return true;
  }

  /** Null when the file is too short. */
  private static ByteBuffer read(FileChannel channel, long offset, int length) throws IOException {
    if (offset < 0 || length > channel.size() - offset) {
      return null;
    }
    ByteBuffer bytes = ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
    while (bytes.hasRemaining()) {
      if (channel.read(bytes, offset + bytes.position()) < 0) {
        return null;
      }
    }
    return bytes;
  }
}
