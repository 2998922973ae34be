#include "stacks/jvm_stacks.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <iterator>

// JVMTI and JNI are stand-ins here: of two methods, and with a count of JNI's calls. tests/jvm has the real ones.
namespace memprof {
namespace {

int jni_calls = 0;
bool unloaded = false;
std::string prefix;  // of the names of methods

jmethodID MethodOf(uintptr_t number) { return reinterpret_cast<jmethodID>(number); }

jvmtiError GiveText(const char* text, char** out) {
  if (out != nullptr) *out = strdup(text);
  return JVMTI_ERROR_NONE;
}

jvmtiError JNICALL NameOf(jvmtiEnv*, jmethodID method, char** name, char**, char**) {
  if (unloaded) return JVMTI_ERROR_INVALID_METHODID;
  return GiveText((prefix + (method == MethodOf(1) ? "fibonacci" : "main")).c_str(), name);
}

jvmtiError JNICALL HolderOf(jvmtiEnv*, jmethodID method, jclass* holder) {
  *holder = reinterpret_cast<jclass>(method);
  return JVMTI_ERROR_NONE;
}

jvmtiError JNICALL SignatureOf(jvmtiEnv*, jclass, char** signature, char**) { return GiveText("Lorg/acme/Numbers;", signature); }

jvmtiError JNICALL FileOf(jvmtiEnv*, jclass, char** file) { return GiveText("Numbers.java", file); }

// 0 to 19 are line 41.
jvmtiError JNICALL LinesOf(jvmtiEnv*, jmethodID, jint* count, jvmtiLineNumberEntry** lines) {
  static constexpr jvmtiLineNumberEntry kLines[] = {{0, 41}, {20, 42}};
  *lines = static_cast<jvmtiLineNumberEntry*>(malloc(sizeof kLines));
  memcpy(*lines, kLines, sizeof kLines);
  *count = std::size(kLines);
  return JVMTI_ERROR_NONE;
}

jvmtiError JNICALL Give(jvmtiEnv*, unsigned char* memory) {
  free(memory);
  return JVMTI_ERROR_NONE;
}

void JNICALL DeleteRef(JNIEnv*, jobject) { ++jni_calls; }

class JvmStacksTest : public ::testing::Test {
 protected:
  JvmStacksTest() {
    jvmti_functions_.GetMethodName = NameOf;
    jvmti_functions_.GetMethodDeclaringClass = HolderOf;
    jvmti_functions_.GetClassSignature = SignatureOf;
    jvmti_functions_.GetSourceFileName = FileOf;
    jvmti_functions_.GetLineNumberTable = LinesOf;
    jvmti_functions_.Deallocate = Give;
    jni_functions_.DeleteLocalRef = DeleteRef;
    jvmti_.functions = &jvmti_functions_;
    jni_.functions = &jni_functions_;
    jni_calls = 0;
    unloaded = false;
    prefix.clear();
    // fibonacci calls itself from two places of one line.
    java_.depth = 3;
    java_.frames[0] = {MethodOf(1), 3};
    java_.frames[1] = {MethodOf(1), 11};
    java_.frames[2] = {MethodOf(2), 25};
  }

  std::vector<std::string> Told(JvmStackId stack) const {
    std::vector<std::string> told;
    for (const JvmFrame* frame : stacks_.Frames(stack)) told.push_back(frame->function + ":" + std::to_string(frame->line));
    return told;
  }

  jvmtiInterface_1_ jvmti_functions_{};
  JNINativeInterface_ jni_functions_{};
  jvmtiEnv jvmti_{};
  JNIEnv jni_{};
  CapturedStack java_;
  std::atomic<uint64_t> dropped_{0};
  JvmStacks stacks_{&dropped_};
  const std::vector<std::string> named_{"org.acme.Numbers.main:42", "org.acme.Numbers.fibonacci:41"};
};

TEST_F(JvmStacksTest, WhereJniMustNotBeCalledFramesGetTheirNamesLater) {
  const JvmStackId stack = stacks_.Intern(&jvmti_, nullptr, java_);
  EXPECT_EQ(jni_calls, 0);
  EXPECT_EQ(Told(stack), std::vector<std::string>(3, "<not named yet>:0"));
  stacks_.NamePending(&jvmti_, &jni_);
  EXPECT_GT(jni_calls, 0);
  EXPECT_EQ(Told(stack), named_) << "two places of one line are one frame then";
  EXPECT_EQ(Told(stacks_.Intern(&jvmti_, nullptr, java_)), named_) << "what is known needs no JNI";
  EXPECT_EQ(Told(stacks_.Intern(&jvmti_, &jni_, java_)), named_);
  jni_calls = 0;
  stacks_.NamePending(&jvmti_, &jni_);
  EXPECT_EQ(jni_calls, 0) << "all have names";
  EXPECT_EQ(dropped_, 0u);
}

TEST_F(JvmStacksTest, TheNextStackWithJniNamesThoseBefore) {
  const JvmStackId stack = stacks_.Intern(&jvmti_, nullptr, java_);
  CapturedStack other;
  other.depth = 1;
  other.frames[0] = {MethodOf(2), 0};
  stacks_.Intern(&jvmti_, &jni_, other);
  EXPECT_EQ(Told(stack), named_);
}

TEST_F(JvmStacksTest, AMethodWhoseClassWasUnloadedMeanwhileHasNoName) {
  const JvmStackId stack = stacks_.Intern(&jvmti_, nullptr, java_);
  unloaded = true;
  stacks_.NamePending(&jvmti_, &jni_);
  EXPECT_EQ(Told(stack), std::vector<std::string>{"<unloaded>:0"});
}

TEST_F(JvmStacksTest, WithoutRoomForANameAStackLosesItsInnerFrames) {
  prefix = std::string(JvmStacks::kMaxNameBytes / 8, 'x');
  CapturedStack outer;
  outer.depth = 1;
  outer.frames[0] = java_.frames[2];
  stacks_.Intern(&jvmti_, &jni_, outer);
  const JvmStackId stack = stacks_.Intern(&jvmti_, nullptr, java_);
  prefix = std::string(JvmStacks::kMaxNameBytes, 'x');
  stacks_.NamePending(&jvmti_, &jni_);
  EXPECT_EQ(stacks_.Frames(stack).size(), 1u);
  EXPECT_EQ(dropped_, 2u) << "two places";
  EXPECT_EQ(stacks_.Frames(stacks_.Intern(&jvmti_, nullptr, java_)).size(), 1u);
  EXPECT_GT(dropped_, 2u);
}

TEST_F(JvmStacksTest, EachGenerationThatIsInUseIsNamed) {
  StackGenerations generations;
  const std::shared_ptr<JvmStacks> stacks = generations.Current();
  const JvmStackId stack = stacks->Intern(&jvmti_, nullptr, java_);
  generations.NamePending(&jvmti_, &jni_);
  EXPECT_EQ(stacks->Frames(stack).back()->function, "org.acme.Numbers.fibonacci");
}

}  // namespace
}  // namespace memprof
