// libjpeg-turbo's TurboJPEG interface; all of it imports into Swift as it is.
#ifndef RECORDER_CTURBOJPEG_SHIM_H
#define RECORDER_CTURBOJPEG_SHIM_H
#include <turbojpeg.h>
#endif
