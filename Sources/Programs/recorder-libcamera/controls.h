// Controls of a camera, by their names.
#pragma once

#include <libcamera/libcamera.h>

#include <cstdint>
#include <optional>
#include <string>

// A control that holds one number.
struct NumberControl {
    unsigned id;
    std::string name;
    uint32_t type;  // as in the message
    const libcamera::ControlInfo *info;
    const libcamera::ControlId *libcameraId;
};

// Returns the number in a value; none for other values.
std::optional<double> numberOf(const libcamera::ControlValue &value);

// Returns the control that libcamera describes; none if it does not hold one number.
std::optional<NumberControl> controlOf(const libcamera::ControlId *id, const libcamera::ControlInfo &info);

// Returns libcamera's name of one value of a control; empty if it has none.
std::string nameOf(const NumberControl &control, double value);

// Returns a number as a value of a control.
//
// If the control cannot have this value, returns none and writes the reason to `reason`.
std::optional<libcamera::ControlValue> valueOf(const NumberControl &control, double number, std::string &reason);
