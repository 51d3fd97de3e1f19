#include "format.h"

#include <libcamera/formats.h>
#include <libcamera/version.h>

using namespace libcamera;

std::vector<PixelFormat> formatsFor(uint32_t code) {
    static const std::vector<PixelFormat> all = {
        formats::NV12, formats::YUV420, formats::YUYV, formats::UYVY,
        // DRM's names are those of a little-endian word: the bytes of BGR888 are red, green, blue.
        formats::BGR888, formats::XRGB8888, formats::XBGR8888, formats::MJPEG,
    };
    if (code == 0) return all;
    std::vector<PixelFormat> found;
    for (const PixelFormat &format : all) {
        if (format.fourcc() == code) found.push_back(format);
    }
    return found;
}

// Orientations replaced transforms in 0.2.
#if LIBCAMERA_VERSION_MAJOR > 0 || LIBCAMERA_VERSION_MINOR >= 2

bool setOrientation(CameraConfiguration &configuration, uint32_t orientation) {
    if (orientation < 1 || orientation > 8) return false;
    configuration.orientation = static_cast<Orientation>(orientation);
    return true;
}

uint32_t orientationOf(const CameraConfiguration &configuration) {
    return static_cast<uint32_t>(configuration.orientation);
}

#else

bool setOrientation(CameraConfiguration &configuration, uint32_t orientation) {
    switch (orientation) {
    case 1: configuration.transform = Transform::Identity; return true;
    case 2: configuration.transform = Transform::HFlip; return true;
    case 3: configuration.transform = Transform::Rot180; return true;
    case 4: configuration.transform = Transform::VFlip; return true;
    default: return false;
    }
}

uint32_t orientationOf(const CameraConfiguration &configuration) {
    switch (configuration.transform) {
    case Transform::HFlip: return 2;
    case Transform::Rot180: return 3;
    case Transform::VFlip: return 4;
    default: return 1;
    }
}

#endif

void putColor(WireMessage &message, const ColorSpace &color) {
    uint32_t primaries = 2, transfer = 2, matrix = 2;
    switch (color.primaries) {
    case ColorSpace::Primaries::Raw: break;
    case ColorSpace::Primaries::Smpte170m: primaries = 6; break;
    case ColorSpace::Primaries::Rec709: primaries = 1; break;
    case ColorSpace::Primaries::Rec2020: primaries = 9; break;
    }
    switch (color.transferFunction) {
    case ColorSpace::TransferFunction::Linear: transfer = 8; break;
    case ColorSpace::TransferFunction::Srgb: transfer = 13; break;
    // The same curve in BT.709, SMPTE 170M and BT.2020.
    case ColorSpace::TransferFunction::Rec709: transfer = primaries == 6 ? 6 : 1; break;
    }
    switch (color.ycbcrEncoding) {
    // RGB.
    case ColorSpace::YcbcrEncoding::None: matrix = 0; break;
    case ColorSpace::YcbcrEncoding::Rec601: matrix = 6; break;
    case ColorSpace::YcbcrEncoding::Rec709: matrix = 1; break;
    case ColorSpace::YcbcrEncoding::Rec2020: matrix = 9; break;
    }
    message.put32(wire::primariesAt, primaries);
    message.put32(wire::transferAt, transfer);
    message.put32(wire::matrixAt, matrix);
    message.put32(wire::rangeAt, color.range == ColorSpace::Range::Full ? 2 : 1);
}
