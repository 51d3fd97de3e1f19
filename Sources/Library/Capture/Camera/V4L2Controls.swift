import CV4L2
import Glibc
import MediaTypes

/// The controls of a camera by name: exposure, focus, white balance and any other that its driver offers.
///
/// Source: the Linux media API, VIDIOC_QUERY_EXT_CTRL (V4L2_CTRL_FLAG_NEXT_CTRL), VIDIOC_QUERYMENU, VIDIOC_S_EXT_CTRLS.
struct V4L2Controls {
    let device: V4L2Device

    struct Control {
        var id: UInt32
        var name: String
        var type: UInt32
        var minimum: Int64
        var maximum: Int64
        var step: Int64
        var flags: UInt32
    }

    /// Returns every control that holds one number or is a button.
    func all() -> [Control] {
        var controls: [Control] = []
        var query = v4l2_query_ext_ctrl()
        query.id = UInt32(V4L2_CTRL_FLAG_NEXT_CTRL)
        // Bypasses libv4l2, which knows only the older of the two queries and would add controls of its own.
        while withUnsafeMutablePointer(to: &query, { cv4l2_raw_ioctl(device.descriptor, CV4L2_QUERY_EXT_CTRL, $0) })
            == 0
        {
            let flags = query.flags
            if query.type != V4L2_CTRL_TYPE_CTRL_CLASS.rawValue, flags & UInt32(V4L2_CTRL_FLAG_DISABLED) == 0,
                flags & UInt32(V4L2_CTRL_FLAG_HAS_PAYLOAD) == 0
            {
                controls.append(
                    Control(
                        id: query.id, name: ControlNames.normalised(V4L2Device.text(query.name)), type: query.type,
                        minimum: query.minimum, maximum: query.maximum, step: Int64(clamping: query.step), flags: flags)
                )
            }
            let next = query.id | UInt32(V4L2_CTRL_FLAG_NEXT_CTRL)
            query = v4l2_query_ext_ctrl()
            query.id = next
            if controls.count > 1024 { break }
        }
        return controls
    }

    /// Sets controls one after the other, in the given order, so that an automatic mode can be switched off before its
    /// value is set.
    ///
    /// - Throws: `invalidSettings` for an unknown name, an invalid value or a control that cannot be set, naming the
    ///   range or the nearest names; `notPermitted`, `busy` or `ioFailure` as the driver reports.
    func set(_ values: [(name: String, value: Int64)]) throws(MediaError) {
        guard !values.isEmpty else { return }
        let controls = all()
        for (name, value) in values { try set(name, to: value, among: controls) }
    }

    private func set(_ name: String, to value: Int64, among controls: [Control]) throws(MediaError) {
        let action = "cannot set \(name)=\(value) on \(device.path)"
        guard let control = controls.first(where: { $0.name == ControlNames.normalised(name) }) else {
            let near = ControlNames.nearest(to: ControlNames.normalised(name), among: controls.map(\.name))
            throw MediaError(
                .invalidSettings, action, reason: "the camera has no such control",
                wayOut: near.isEmpty
                    ? "`v4l2-ctl -d \(device.path) -l` lists them" : "nearest is \(near.joined(separator: ", "))")
        }
        guard control.flags & UInt32(V4L2_CTRL_FLAG_READ_ONLY) == 0 else {
            throw MediaError(.invalidSettings, action, reason: "the control is read-only")
        }
        try check(value, of: control, action: action)
        let is64Bit: Int32 = control.type == V4L2_CTRL_TYPE_INTEGER64.rawValue ? 1 : 0
        switch cv4l2_set_control(device.descriptor, control.id, is64Bit, value) {
        case 0: return
        // The camera is open already, so EACCES does not mean that a permission is missing.
        case EACCES:
            throw MediaError(
                .invalidSettings, action, reason: "the control is inactive", underlying: .errno(EACCES),
                wayOut: "first switch off the automatic mode that sets it")
        case EBUSY:
            throw MediaError(
                .busy, action, reason: "the camera does not allow it now", underlying: .errno(EBUSY),
                wayOut: "another control (an automatic mode) or another program may lock it")
        case let code: throw MediaError(errno: code, action)
        }
    }

    private func check(_ value: Int64, of control: Control, action: String) throws(MediaError) {
        if control.type == V4L2_CTRL_TYPE_BUTTON.rawValue { return }
        // A bit mask has no minimum, and its maximum is a set of bits.
        if control.type == V4L2_CTRL_TYPE_BITMASK.rawValue {
            guard value & ~Int64(UInt32(truncatingIfNeeded: control.maximum)) == 0 else {
                throw MediaError(
                    .invalidSettings, action,
                    reason:
                        "the control accepts only the bits 0x\(String(UInt32(truncatingIfNeeded: control.maximum), radix: 16))"
                )
            }
            return
        }
        guard value >= control.minimum, value <= control.maximum else {
            let step = control.step > 1 ? " in steps of \(control.step)" : ""
            throw MediaError(
                .invalidSettings, action,
                reason: "the control ranges from \(control.minimum) to \(control.maximum)\(step)",
                wayOut: "nearest is \(min(max(value, control.minimum), control.maximum))")
        }
        guard control.type == V4L2_CTRL_TYPE_MENU.rawValue || control.type == V4L2_CTRL_TYPE_INTEGER_MENU.rawValue
        else {
            return
        }
        guard !hasMenuItem(value, control) else { return }
        // A driver may report an absurdly large number of choices.
        let items = (control.minimum...control.maximum).prefix(256).filter { hasMenuItem($0, control) }
        throw MediaError(
            .invalidSettings, action,
            reason: "the control accepts only " + items.map(String.init).joined(separator: ", "))
    }

    private func hasMenuItem(_ index: Int64, _ control: Control) -> Bool { menuItem(index, control) != nil }

    /// Returns an item of a menu; nil if the camera does not have it.
    func menuItem(_ index: Int64, _ control: Control) -> v4l2_querymenu? {
        var item = v4l2_querymenu()
        item.id = control.id
        item.index = UInt32(clamping: index)
        let code = withUnsafeMutablePointer(to: &item) { cv4l2_raw_ioctl(device.descriptor, CV4L2_QUERYMENU, $0) }
        return code == 0 ? item : nil
    }
}
