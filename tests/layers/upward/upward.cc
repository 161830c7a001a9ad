#include "base/fail.h"
#include "run/run.h"
#include "spml/error.h"
