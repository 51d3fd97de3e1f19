// libyuv's C interface; all of it imports into Swift as it is.
#ifndef RECORDER_CYUV_SHIM_H
#define RECORDER_CYUV_SHIM_H
#include <libyuv/convert.h>
#include <libyuv/convert_argb.h>
#include <libyuv/convert_from.h>
#include <libyuv/convert_from_argb.h>
#include <libyuv/planar_functions.h>
#include <libyuv/scale.h>
#endif
