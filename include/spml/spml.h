// Everything a user of the library needs.
#pragma once

#include "spml/error.h"
#include "spml/linear.h"
#include "spml/loss.h"
#include "spml/npy.h"
#include "spml/version.h"
#include "spml/view.h"
