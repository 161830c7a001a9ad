// The header is free of the cycle; the unit b.h + b.cc is in it.
#pragma once
