// Formats, orientations and colors of libcamera, and those of the messages.
#pragma once

#include <libcamera/libcamera.h>

#include <cstdint>
#include <vector>

#include "message.h"

// Returns the formats to try, the best first: the format with this DRM code, or all supported formats for code 0.
std::vector<libcamera::PixelFormat> formatsFor(uint32_t code);

// Requests an orientation, as in Exif.
//
// Returns false if this version of libcamera has no such orientation.
bool setOrientation(libcamera::CameraConfiguration &configuration, uint32_t orientation);

// Returns the orientation of a validated configuration, as in Exif.
uint32_t orientationOf(const libcamera::CameraConfiguration &configuration);

// Writes a color space in the codes of ITU-T H.273.
void putColor(WireMessage &message, const libcamera::ColorSpace &color);
