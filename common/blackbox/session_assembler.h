// SessionAssembler: turns a box's records into a BoxSession. It checks every reference and keeps only what the session's sites use. It
// looks at each node and frame once, and counts its work. Allocates. Not thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "blackbox/box_reader.h"
#include "blackbox/box_work.h"
#include "blackbox/layout.h"

namespace memprof {

class SessionAssembler {
 public:
  std::vector<box::Node> nodes;
  std::vector<box::Frame> frames;
  std::vector<box::Module> modules;
  std::vector<char> strings;

  SessionAssembler(BoxSession* out, BoxWork* work) : out_(*out), work_(*work) {}

  std::string StringAt(uint32_t reference);

  // Adds the nodes above a trie node, then the node itself, to out.stacks; returns its index + 1 there, 0 when its chain is
  // broken, or longer than any stack.
  uint32_t Stack(uint32_t reference);
  BoxFrame FrameOf(const box::Frame& from);

 private:
  std::string Skip();

  // Index into out.frames; a frame that cannot be read becomes an unknown one, so that its stack keeps its depth.
  uint32_t Frame(uint32_t reference);
  void Module(uint32_t reference, BoxFrame* frame);

  static constexpr uint32_t kUnseen = 0xffffffff, kBroken = 0xffffffff;

  // What is known of a node: nothing while its depth is 0.
  struct Known {
    uint32_t stack = 0, depth = 0;
  };

  BoxSession& out_;
  BoxWork& work_;
  std::vector<Known> known_;
  std::vector<uint32_t> frame_of_, chain_;
};

}  // namespace memprof
