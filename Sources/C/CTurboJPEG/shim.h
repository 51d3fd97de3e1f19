// libjpeg-turbo's TurboJPEG interface; all of it imports into Swift without help.
#ifndef RECORDER_CTURBOJPEG_SHIM_H
#define RECORDER_CTURBOJPEG_SHIM_H
#include <turbojpeg.h>
#endif
