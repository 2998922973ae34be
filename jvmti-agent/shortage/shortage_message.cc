#include "shortage/shortage_message.h"

#include <algorithm>

#include "base/valid_utf8.h"
#include "stacks/message_names.h"

namespace memprof {
namespace {

constexpr size_t kMostNameBytes = 256;

void PutHistogram(const ClassHistogram& histogram, proto::HeapShortage* message) {
  message->set_total_bytes(histogram.total_bytes);
  message->set_total_objects(histogram.total_objects);
  message->set_cut_short(histogram.cut_short);
  uint64_t other_classes = histogram.other_classes, other_bytes = histogram.other_bytes;
  for (size_t i = 0; i < histogram.classes.size(); ++i) {
    const ClassHistogram::Row& row = histogram.classes[i];
    if (i >= kMaxHeapClasses) {
      ++other_classes;
      other_bytes += row.bytes;
      continue;
    }
    proto::HeapClass* out = message->add_classes();
    out->set_name(ValidUtf8(row.name.substr(0, kMostNameBytes)));
    out->set_bytes(row.bytes);
    out->set_objects(row.objects);
  }
  message->set_other_classes(other_classes);
  message->set_other_bytes(other_bytes);
}

}  // namespace

proto::HeapShortage BuildShortage(const ShortageInputs& inputs) {
  proto::HeapShortage message;
  message.set_time_ms(inputs.time_ms);
  message.set_error(ValidUtf8(inputs.error.substr(0, kMostNameBytes)));
  message.set_ends_jvm(inputs.ends_jvm);
  message.set_nearly_full(inputs.nearly_full);
  message.set_thread(ValidUtf8(inputs.thread.substr(0, kMostNameBytes)));
  message.set_of_jvm(inputs.of_jvm);
  message.set_task_attempt_id(inputs.task.task_attempt_id);
  message.set_stage_id(inputs.task.stage_id);
  message.set_stage_attempt(inputs.task.stage_attempt);
  message.set_partition(inputs.task.partition);
  message.set_errors(inputs.errors);
  message.set_jvm_pid(inputs.jvm_pid);
  if (inputs.histogram) PutHistogram(*inputs.histogram, &message);
  if (inputs.retained) *message.mutable_retained() = *inputs.retained;
  if (inputs.stacks != nullptr) {
    MessageNames names(message.mutable_names());
    message.set_stack(names.Stack(*inputs.stacks, inputs.stack));
  }
  if (message.ByteSizeLong() > kMaxShortageBytes) {  // extremely long names: the classes are worth more than the stack
    message.clear_names();
    message.clear_stack();
  }
  return message;
}

}  // namespace memprof
