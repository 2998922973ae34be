#include "shortage/shortage_message.h"

#include <gtest/gtest.h>

namespace memprof {
namespace {

ShortageInputs Inputs(size_t classes) {
  ShortageInputs inputs;
  inputs.time_ms = 1'700'000'000'123;
  inputs.error = "Java heap space";
  inputs.thread = "pool-#";
  inputs.task = {7, 3, 1, 2, 0};
  inputs.errors = 5;
  inputs.jvm_pid = 4100;
  inputs.histogram.emplace();
  for (size_t i = 0; i < classes; ++i) inputs.histogram->classes.push_back({"acme.C" + std::to_string(i), 1'000'003 - i, 17});
  inputs.histogram->other_classes = 3;
  inputs.histogram->other_bytes = 101;
  inputs.histogram->total_bytes = 99'000'001;
  inputs.histogram->total_objects = 777;
  return inputs;
}

TEST(ShortageMessage, SaysWhoAskedAndWhatTheHeapWasFullOf) {
  const proto::HeapShortage message = BuildShortage(Inputs(2));
  EXPECT_EQ(message.error(), "Java heap space");
  EXPECT_EQ(message.task_attempt_id(), 7);
  EXPECT_EQ(message.stage_id(), 3);
  EXPECT_EQ(message.partition(), 2);
  EXPECT_EQ(message.errors(), 5u);
  ASSERT_EQ(message.classes_size(), 2);
  EXPECT_EQ(message.classes(1).name(), "acme.C1");
  EXPECT_EQ(message.classes(1).bytes(), 1'000'002u);
  EXPECT_EQ(message.other_classes(), 3u);
  EXPECT_EQ(message.other_bytes(), 101u);
  EXPECT_EQ(message.total_bytes(), 99'000'001u);
  EXPECT_EQ(message.stack(), 0u);
  EXPECT_FALSE(message.has_retained());
}

TEST(ShortageMessage, ClassesBeyondTheBoundAreOneSum) {
  ShortageInputs inputs = Inputs(kMaxHeapClasses + 5);
  inputs.histogram->classes[0].name = std::string(5000, 'x');
  const proto::HeapShortage message = BuildShortage(inputs);
  EXPECT_EQ(message.classes_size(), static_cast<int>(kMaxHeapClasses));
  EXPECT_EQ(message.classes(0).name().size(), 256u);
  EXPECT_EQ(message.other_classes(), 8u);
  EXPECT_EQ(message.other_bytes(), 101 + 5 * 1'000'003 - (40 + 41 + 42 + 43 + 44));
  EXPECT_LE(message.ByteSizeLong(), kMaxShortageBytes);
}

}  // namespace
}  // namespace memprof
