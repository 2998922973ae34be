"""Helper module of the demo: calls the native library through ctypes."""

import ctypes

import numpy as np

_DOUBLES = np.ctypeslib.ndpointer(dtype=np.float64, flags="C_CONTIGUOUS")


def _function(library, name):
    function = getattr(ctypes.CDLL(library), name)
    function.restype = ctypes.c_double
    function.argtypes = [_DOUBLES, _DOUBLES, ctypes.c_size_t]
    return function


def with_cpp(library, values, weights):
    average = _function(library, "weighted_average")
    return average(values, weights, len(values))


def with_rust(library, values, weights):
    average = _function(library, "weighted_average_rust")
    return average(values, weights, len(values))
