// A JNI library of a user's: takes and gives back memory in every way that malloc has, also in C++, on a thread of its own, and while it
// holds an array's memory (as compressors do). Its functions are not inlined, so that stacks show them.
#include <jni.h>
#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#define HOG extern "C" __attribute__((visibility("default"), noinline))

namespace {

constexpr size_t kNarrowBytes = 16 << 10;  // PTHREAD_STACK_MIN

void* AsVoid(jlong address) { return reinterpret_cast<void*>(address); }
jlong AsNumber(const void* block) { return reinterpret_cast<jlong>(block); }

}  // namespace

HOG void* hog_keep(size_t bytes) {
  void* block = malloc(bytes);
  asm volatile("" : : "r"(block) : "memory");
  return block;
}

extern "C" {

JNIEXPORT jlong JNICALL Java_NativeHog_keep(JNIEnv*, jclass, jlong bytes) {
  void* block = hog_keep(static_cast<size_t>(bytes));
  asm volatile("" : : "r"(block) : "memory");  // no jump instead of the call
  return AsNumber(block);
}

JNIEXPORT jlong JNICALL Java_NativeHog_zeroed(JNIEnv*, jclass, jlong bytes) { return AsNumber(calloc(1, static_cast<size_t>(bytes))); }

JNIEXPORT jlong JNICALL Java_NativeHog_aligned(JNIEnv*, jclass, jlong bytes) {
  void* block = nullptr;
  return posix_memalign(&block, 4096, static_cast<size_t>(bytes)) == 0 ? AsNumber(block) : 0;
}

// Through libstdc++'s operator new, which is another library's call of malloc.
JNIEXPORT jlong JNICALL Java_NativeHog_made(JNIEnv*, jclass, jlong bytes) { return AsNumber(new char[static_cast<size_t>(bytes)]); }

JNIEXPORT jlong JNICALL Java_NativeHog_resized(JNIEnv*, jclass, jlong block, jlong bytes) {
  return AsNumber(realloc(AsVoid(block), static_cast<size_t>(bytes)));
}

JNIEXPORT void JNICALL Java_NativeHog_free(JNIEnv*, jclass, jlong block) { free(AsVoid(block)); }

JNIEXPORT void JNICALL Java_NativeHog_small(JNIEnv*, jclass, jint count, jint bytes) {
  for (jint i = 0; i < count; ++i) {
    void* block = malloc(static_cast<size_t>(bytes));
    asm volatile("" : : "r"(block) : "memory");
    free(block);
  }
}

// While the array can't be moved, JNI must not be called.
JNIEXPORT jlong JNICALL Java_NativeHog_critical(JNIEnv* jni, jclass, jbyteArray array, jlong bytes) {
  void* elements = jni->GetPrimitiveArrayCritical(array, nullptr);
  void* block = hog_keep(static_cast<size_t>(bytes));
  jni->ReleasePrimitiveArrayCritical(array, elements, JNI_ABORT);
  return AsNumber(block);
}

// On a thread with as little stack as a thread may have.
JNIEXPORT jlong JNICALL Java_NativeHog_narrowly(JNIEnv*, jclass, jlong bytes) {
  pthread_attr_t narrow;
  pthread_attr_init(&narrow);
  pthread_attr_setstacksize(&narrow, kNarrowBytes);
  pthread_t thread;
  const auto run = [](void* size) -> void* {
    pthread_setname_np(pthread_self(), "hog-narrow-41");
    return hog_keep(reinterpret_cast<size_t>(size));
  };
  void* block = nullptr;
  if (pthread_create(&thread, &narrow, run, AsVoid(bytes)) == 0) pthread_join(thread, &block);
  pthread_attr_destroy(&narrow);
  return AsNumber(block);
}

// Uses memory in a child that is forked without exec; how the child ended.
JNIEXPORT jint JNICALL Java_NativeHog_inChild(JNIEnv*, jclass, jlong block) {
  const pid_t child = fork();
  if (child == 0) {
    for (int i = 0; i < 100; ++i) free(hog_keep(3'000'017));
    free(AsVoid(block));
    _exit(7);
  }
  int status = -1;
  waitpid(child, &status, 0);
  return status;
}

// On a thread of a runtime of the library's own; one that has attached itself to the JVM, where `attached`.
JNIEXPORT jlong JNICALL Java_NativeHog_elsewhere(JNIEnv* jni, jclass, jlong bytes, jboolean attached) {
  JavaVM* vm = nullptr;
  jni->GetJavaVM(&vm);
  void* block = nullptr;
  std::thread([&] {
    pthread_setname_np(pthread_self(), attached == JNI_TRUE ? "hog-bound-41" : "hog-runtime-41");
    void* own = nullptr;
    if (attached == JNI_TRUE) vm->AttachCurrentThread(&own, nullptr);
    block = hog_keep(static_cast<size_t>(bytes));
    if (attached == JNI_TRUE) vm->DetachCurrentThread();
  }).join();
  return AsNumber(block);
}
}
