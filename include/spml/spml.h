// Everything a user of the library needs.
#pragma once

#include "spml/data.h"
#include "spml/error.h"
#include "spml/features.h"
#include "spml/linear.h"
#include "spml/loss.h"
#include "spml/matrix.h"
#include "spml/metrics.h"
#include "spml/npy.h"
#include "spml/options.h"
#include "spml/result.h"
#include "spml/settings.h"
#include "spml/version.h"
#include "spml/view.h"
