#include <pybind11/pybind11.h>

PYBIND11_MODULE(_hooks, module) { module.doc() = "sparkmemprof"; }
