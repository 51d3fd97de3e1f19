import CV4L2
import Glibc
import MediaTypes

/// The inputs of a camera: lists and selects them.
///
/// Source: the Linux media API, VIDIOC_ENUMINPUT, VIDIOC_G_INPUT, VIDIOC_S_INPUT.
struct V4L2Inputs {
    let device: V4L2Device

    /// Returns every input; none if the driver does not report inputs.
    func all() -> [CameraInput] {
        var inputs: [CameraInput] = []
        var number: Int32 = 0
        let current = device.call(CV4L2_G_INPUT, &number) == 0 ? UInt32(bitPattern: number) : nil
        var index: UInt32 = 0
        while index < 256, let found = item(index) {
            inputs.append(
                CameraInput(
                    Int(index), V4L2Device.text(found.name), isTuner: found.type == UInt32(V4L2_INPUT_TYPE_TUNER),
                    hasTimings: found.capabilities & UInt32(V4L2_IN_CAP_DV_TIMINGS) != 0,
                    hasStandards: found.capabilities & UInt32(V4L2_IN_CAP_STD) != 0, isCurrent: index == current,
                    status: found.status))
            index += 1
        }
        return inputs
    }

    /// Returns the status flags of an input; 0 if the driver does not report them.
    func status(of input: CameraInput) -> UInt32 { item(UInt32(clamping: input.index))?.status ?? 0 }

    /// Selects an input, unless the camera captures from it already.
    ///
    /// - Parameter text: The input's number or name; nil to keep the current one.
    /// - Returns: The selected input; nil if the driver does not report inputs.
    /// - Throws: `invalidSettings`, with a list of the inputs; `busy`; the error that the driver reports.
    func select(_ text: String?) throws(MediaError) -> CameraInput? {
        let inputs = all()
        guard let text else { return inputs.first { $0.isCurrent } }
        let chosen = try CameraInput.chosen(text, among: inputs, device: device.path)
        guard !chosen.isCurrent else { return chosen }
        var index = Int32(clamping: chosen.index)
        let code = device.call(CV4L2_S_INPUT, &index)
        guard code == 0 else {
            if code == EBUSY || code == ENODEV { throw V4L2Device.openError(code, path: device.path) }
            throw MediaError(
                .ioFailure, "cannot select the input \"\(chosen.name)\" of \(device.path)",
                reason: "the driver refused", underlying: .errno(code))
        }
        return chosen
    }

    private func item(_ index: UInt32) -> v4l2_input? {
        var item = v4l2_input()
        item.index = index
        return device.call(CV4L2_ENUMINPUT, &item) == 0 ? item : nil
    }
}
