import CommandInterface
import NetworkCapture

extension NetworkCameraList {
    /// The text for users: the URLs for --camera, or the reasons why they are unknown.
    package var text: String {
        guard !networkCameras.isEmpty else {
            return """
                no network camera answered within \(NetworkCameraSearch.seconds) s
                  A firewall may block UDP from port 3702, the camera may be in another network,
                  or ONVIF is switched off in its settings, as in many cameras. Its manual has
                  the URL for --camera.
                """
        }
        // The texts come from devices, and anyone with access to the network can attach a device. So the texts may
        // contain anything.
        return (["network cameras"] + networkCameras.flatMap(\.lines).map { "  " + PlainText.line($0) })
            .joined(separator: "\n")
    }
}

extension NetworkCameraList.Camera {
    fileprivate var lines: [String] {
        let facts = [name, hardware == name ? nil : hardware, location].compactMap { $0 }
        var lines = [([address] + (facts.isEmpty ? [] : [facts.joined(separator: " · ")])).joined(separator: "  ")]
        if let device { lines.append("  device: \(device)") }
        for profile in profiles {
            lines.append("  \(profile.title)")
            if profile.url != nil || !needsPassword { lines.append("    \(profile.url ?? "no URL")") }
        }
        if needsPassword { lines.append("  needs a password: see camera-credentials") }
        if let problem { lines.append("  \(problem)") }
        return lines
    }
}

extension NetworkCameraList.Profile {
    /// The profile in one line: "mainStream: H264 1920x1080 at 25 fps".
    fileprivate var title: String {
        var facts = [codec].compactMap { $0 }
        if let width, let height { facts.append("\(width)x\(height)") }
        if let frameRate { facts.append("at \(NumberText.frameRate(frameRate))") }
        return facts.isEmpty ? name : "\(name): \(facts.joined(separator: " "))"
    }
}
