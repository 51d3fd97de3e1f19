#include "controls.h"

#include <libcamera/version.h>

#include <cmath>
#include <cstdio>
#include <set>

using namespace libcamera;

namespace {

std::string textOf(double number) {
    char text[32];
    std::snprintf(text, sizeof text, "%g", number);
    return text;
}

bool isArray(const ControlId *id, const ControlInfo &info) {
    if (info.min().isArray() || info.max().isArray() || info.def().isArray()) return true;
#if LIBCAMERA_VERSION_MAJOR > 0 || LIBCAMERA_VERSION_MINOR >= 4
    return id->isArray();
#else
    // This version does not say which controls are arrays, and ends the process if one is set to a number.
    static const std::set<std::string> arrays = {
        "AfWindows", "ColourCorrectionMatrix", "ColourGains", "FrameDurationLimits", "SensorBlackLevels",
    };
    return arrays.count(id->name()) > 0;
#endif
}

}  // namespace

std::optional<double> numberOf(const ControlValue &value) {
    if (value.isArray()) return std::nullopt;
    switch (value.type()) {
    case ControlTypeBool: return value.get<bool>() ? 1 : 0;
    case ControlTypeByte: return value.get<uint8_t>();
    case ControlTypeInteger32: return value.get<int32_t>();
    case ControlTypeInteger64: return static_cast<double>(value.get<int64_t>());
    case ControlTypeFloat: return value.get<float>();
    default: return std::nullopt;
    }
}

std::optional<NumberControl> controlOf(const ControlId *id, const ControlInfo &info) {
    if (isArray(id, info)) return std::nullopt;
    uint32_t type;
    switch (id->type()) {
    case ControlTypeBool: type = 1; break;
    case ControlTypeByte:
    case ControlTypeInteger32:
    case ControlTypeInteger64: type = 2; break;
    case ControlTypeFloat: type = 3; break;
    default: return std::nullopt;
    }
    return NumberControl{id->id(), id->name(), type, &info, id};
}

std::string nameOf(const NumberControl &control, double value) {
#if LIBCAMERA_VERSION_MAJOR > 0 || LIBCAMERA_VERSION_MINOR >= 4
    const auto &names = control.libcameraId->enumerators();
    auto found = names.find(static_cast<int32_t>(value));
    if (found != names.end()) return found->second;
#else
    (void)control;
    (void)value;
#endif
    return "";
}

std::optional<ControlValue> valueOf(const NumberControl &control, double number, std::string &reason) {
    auto least = numberOf(control.info->min()), most = numberOf(control.info->max());
    // If the minimum and the maximum are equal, they only mean that the control has no limits.
    if (least && most && *least < *most && (number < *least || number > *most)) {
        reason = control.name + " must be between " + textOf(*least) + " and " + textOf(*most);
        return std::nullopt;
    }
    if (control.type != 3 && number != std::floor(number)) {
        reason = control.name + " must be a whole number";
        return std::nullopt;
    }
    switch (control.libcameraId->type()) {
    case ControlTypeBool:
        if (number == 0 || number == 1) return ControlValue(number != 0);
        break;
    case ControlTypeByte:
        if (number >= 0 && number <= 255) return ControlValue(static_cast<uint8_t>(number));
        break;
    case ControlTypeInteger32:
        if (std::fabs(number) <= 2147483647.0) return ControlValue(static_cast<int32_t>(number));
        break;
    case ControlTypeInteger64:
        // A double represents every whole number up to 2^53 exactly.
        if (std::fabs(number) <= 9007199254740992.0) return ControlValue(static_cast<int64_t>(number));
        break;
    default:
        if (std::fabs(number) <= 3.4e38) return ControlValue(static_cast<float>(number));
    }
    reason = control.name + " cannot be " + textOf(number);
    return std::nullopt;
}
