import CV4L2
package import MediaTypes

/// Reads and sets the controls of one camera, by its name, even while another program streams from it. Each call blocks
/// until the driver responds.
package enum CameraControlAccess {
    /// Returns the current value of each control that has a role and whose value the driver reports.
    ///
    /// - Parameter device: A name that `CameraDiscovery.path(of:)` accepts.
    /// - Throws: `notFound`, `notPermitted`, or the error that the driver reports.
    package static func values(of device: String) throws(MediaError) -> [CameraControl.Role: Int64] {
        V4L2Controls(device: try V4L2Device(path: CameraDiscovery.path(of: device))).values()
    }

    /// Sets the named controls, one after the other.
    ///
    /// - Throws: the errors that `V4L2Camera.init` throws for a control.
    package static func set(_ values: [(name: String, value: Int64)], of device: String) throws(MediaError) {
        try V4L2Controls(device: V4L2Device(path: CameraDiscovery.path(of: device))).set(values)
    }
}

extension V4L2Controls {
    /// Returns every control that holds one number or is a button, with the items of menus.
    func described() -> [CameraControl] {
        all().map { control in
            CameraControl(
                control.name, role: CameraControl.Role(v4l2: control.id), from: control.minimum, to: control.maximum,
                step: control.step, choices: choices(control),
                isReadOnly: control.flags & UInt32(V4L2_CTRL_FLAG_READ_ONLY) != 0)
        }
    }

    private func choices(_ control: Control) -> [Int64: Int64] {
        let isOfNumbers = control.type == V4L2_CTRL_TYPE_INTEGER_MENU.rawValue
        guard isOfNumbers || control.type == V4L2_CTRL_TYPE_MENU.rawValue, control.minimum <= control.maximum else {
            return [:]
        }
        var choices: [Int64: Int64] = [:]
        // A driver may report an absurdly large number of choices.
        for index in (control.minimum...control.maximum).prefix(256) {
            guard var item = menuItem(index, control) else { continue }
            choices[index] = isOfNumbers ? cv4l2_menu_value(&item) : index
        }
        return choices
    }

    /// Returns the current value of each control that has a role and whose value the driver reports.
    func values() -> [CameraControl.Role: Int64] {
        var values: [CameraControl.Role: Int64] = [:]
        for control in all() {
            guard let role = CameraControl.Role(v4l2: control.id) else { continue }
            var value: Int64 = 0
            let is64Bit: Int32 = control.type == V4L2_CTRL_TYPE_INTEGER64.rawValue ? 1 : 0
            // Buttons have no value.
            guard cv4l2_get_control(device.descriptor, control.id, is64Bit, &value) == 0 else { continue }
            values[role] = value
        }
        return values
    }
}

extension CameraControl.Role {
    /// The role of a control; nil if it has none.
    init?(v4l2 id: UInt32) {
        switch id {
        case CV4L2_CID_FOCUS_AUTO: self = .automaticFocus
        case CV4L2_CID_FOCUS_ABSOLUTE: self = .focus
        case CV4L2_CID_AUTO_FOCUS_START: self = .focusOnce
        case CV4L2_CID_EXPOSURE_AUTO: self = .exposureMode
        case CV4L2_CID_EXPOSURE_ABSOLUTE: self = .exposureTime
        case CV4L2_CID_AUTO_EXPOSURE_BIAS: self = .exposureBias
        case CV4L2_CID_AUTO_WHITE_BALANCE: self = .automaticWhiteBalance
        case CV4L2_CID_DO_WHITE_BALANCE: self = .whiteBalanceOnce
        case CV4L2_CID_WHITE_BALANCE_TEMPERATURE: self = .whiteBalanceTemperature
        case CV4L2_CID_ZOOM_ABSOLUTE: self = .zoom
        default: return nil
        }
    }
}
