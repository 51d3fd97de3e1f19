import Capture
import CommandInterface

extension DeviceList {
    /// The text for users, with the values for --camera and --microphone and the formats of each device.
    package var text: String { described(withControls: false) }

    /// Returns the text for users, with or without the controls of each camera.
    package func described(withControls: Bool) -> String {
        var lines = ["cameras"]
        for camera in cameras {
            lines.append("  \(camera.device)  \(camera.name)")
            for name in camera.stableNames { lines.append("    as \(name)") }
            if let problem = camera.problem { lines.append("    \(problem)") }
            if camera.inputs.count > 1 { lines += camera.inputs.map { "    input \($0.text)" } }
            for format in camera.formats {
                let sizes = format.sizes.map(\.text).joined(separator: ", ")
                lines.append("    \(format.pixelFormat)\(format.isEmulated ? " (converted)" : "")  \(sizes)")
            }
            if !camera.nodes.isEmpty { lines.append("    made of \(camera.nodes.joined(separator: ", "))") }
            if withControls { lines += camera.controls.map { "    control \($0.text)" } }
            if let mode = camera.defaultMode {
                let rate = mode.frameRate.map { " at \(NumberText.frameRate($0))" } ?? ""
                lines.append("    default: \(mode.width)x\(mode.height) \(mode.pixelFormat)\(rate)")
            }
        }
        if cameras.isEmpty { lines.append("  none connected") }
        lines.append("  test  a moving pattern with a frame counter, on any machine")
        lines.append("microphones")
        for microphone in microphones {
            lines.append("  \(microphone.device)  \(microphone.name)")
            if let problem = microphone.problem { lines.append("    \(problem)") }
            if !microphone.formats.isEmpty {
                let rates = microphone.sampleRates.map(NumberText.sampleRate).joined(separator: ", ")
                let channels = microphone.channels.map(String.init).joined(separator: ", ")
                let formats = microphone.formats.joined(separator: ", ")
                lines.append("    \(rates) · \(channels) channels · \(formats)")
            }
        }
        if microphones.isEmpty { lines.append("  none connected") }
        lines.append("  test  a tone with a click on every full second, on any machine")
        if !encoders.isEmpty { lines.append("encoders") }
        for encoder in encoders {
            lines.append("  \(encoder.device)  \(encoder.name)")
            let most = encoder.largestFrame.map { " up to \($0)" } ?? ""
            let (codecs, formats) = (encoder.codecs, encoder.formats)
            lines.append(
                "    \(codecs.joined(separator: ", "))\(most) from \(formats.joined(separator: ", "))")
            if encoder.isUsable { lines.append("    as --encoder v4l2:\(encoder.device)") }
        }
        return lines.joined(separator: "\n")
    }
}

extension DeviceList.Input {
    /// The input and its state: "2  HDMI 0  digital video, current, no signal".
    fileprivate var text: String {
        var facts = [type]
        if isCurrent { facts.append("current") }
        if let signal { facts.append(SignalFault(rawValue: signal)?.label ?? "signal present") }
        return "\(index)  \(name)  \(facts.joined(separator: ", "))"
    }
}

extension DeviceList.Control {
    /// The control and its values: "AnalogueGain  1 to 16, begins at 1", "AfMode  0 Manual, 1 Auto".
    fileprivate var text: String {
        guard choices.isEmpty else {
            let values = choices.map { $0.value.controlText + ($0.name.isEmpty ? "" : " \($0.name)") }
            return "\(name)  \(values.joined(separator: ", "))"
        }
        let range = "\(minimum.controlText) to \(maximum.controlText)"
        return "\(name)  \(range)" + (initial.map { ", begins at \($0.controlText)" } ?? "")
    }
}

extension Double {
    /// The value of a control, as --control accepts it.
    fileprivate var controlText: String {
        if let whole = Int64(exactly: self) { return String(whole) }
        // libcamera's fractions are 32-bit numbers, so more digits would only show rounding errors.
        return "\(Float(self))"
    }
}

extension DeviceList.Size {
    /// The size and its rates: "1280x720 at 60, 30 fps", "32x32 to 1920x1080 at 1 to 60 fps".
    fileprivate var text: String {
        let size = minimum == maximum ? minimum : "\(minimum) to \(maximum)"
        guard !frameRates.isEmpty else { return size }
        let rates = frameRates.map { NumberText.frameRate($0).replacing(" fps", with: "") }
        return "\(size) at \(rates.joined(separator: isRange ? " to " : ", ")) fps"
    }
}
