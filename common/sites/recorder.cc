#include "sites/recorder.h"
