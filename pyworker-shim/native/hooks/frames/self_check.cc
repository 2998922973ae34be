#include <Python.h>
#include <frameobject.h>

#include "frames/frame_cursor.h"

namespace memprof {

bool SelfCheck() {
  FrameCursor cursor(PyThreadState_Get());
  PyFrameObject* expected = PyThreadState_GetFrame(PyThreadState_Get());
  bool same = true;
  for (PythonFrame frame; same && cursor.Next(&frame);) {
    if (expected == nullptr) {
      same = false;
      break;
    }
    PyCodeObject* code = PyFrame_GetCode(expected);
    same = frame.code == code && PyCode_Addr2Line(frame.code, frame.instruction) == PyFrame_GetLineNumber(expected);
    Py_DECREF(code);
    PyFrameObject* back = PyFrame_GetBack(expected);
    Py_DECREF(expected);
    expected = back;
  }
  same = same && expected == nullptr;
  Py_XDECREF(expected);
  return same;
}

}  // namespace memprof
