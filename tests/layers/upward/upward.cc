#include "base/fail.h"
#include "experiment/run.h"
#include "spml/error.h"
