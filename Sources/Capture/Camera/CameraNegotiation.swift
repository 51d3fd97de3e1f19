public import MediaTypes

/// What is wanted of a camera; nil is "the best that it does well".
public struct CameraRequest: Sendable, Hashable {
    public var size: FrameSize?
    public var frameRate: FrameRate?
    public var pixelFormat: CameraPixelFormat?

    public init(size: FrameSize? = nil, frameRate: FrameRate? = nil, pixelFormat: CameraPixelFormat? = nil) {
        self.size = size
        self.frameRate = frameRate
        self.pixelFormat = pixelFormat
    }
}

/// One way in which a camera can run.
public struct CameraMode: Sendable, Hashable {
    public var pixelFormat: CameraPixelFormat
    /// Converted by libv4l2.
    public var isEmulated: Bool
    public var size: FrameSize
    /// nil when the driver does not say.
    public var frameRate: FrameRate?

    public init(_ pixelFormat: CameraPixelFormat, isEmulated: Bool = false, size: FrameSize, frameRate: FrameRate?) {
        self.pixelFormat = pixelFormat
        self.isEmulated = isEmulated
        self.size = size
        self.frameRate = frameRate
    }
}

extension CameraCapabilities {
    /// Chooses the mode for a request. A pure function: nothing is asked of the device.
    ///
    /// What was asked for is met exactly (a rate to within half a percent) or refused. What was left open is chosen in
    /// this order: a format of the driver's own before an emulated one; at least 24 frames per second, 30 rather than
    /// any other rate; the largest size up to 1920×1080; raw pictures before MJPEG before H.264.
    ///
    /// - Parameter device: its name, for the message.
    /// - Throws: `deviceUnsuitable`, with the nearest that the camera can do.
    public func mode(for request: CameraRequest, device: String) throws(MediaError) -> CameraMode {
        let candidates = try usableFormats(for: request, device: device)
        let sized = try sizedFormats(candidates, for: request, device: device)
        let modes = sized.compactMap { option -> CameraMode? in
            let rates = option.range.rates(at: option.size)
            let rate =
                request.frameRate.map { rates.nearest(to: $0) } ?? rates.preferred(Self.preferredRate, atLeast: 24)
            if let asked = request.frameRate, let rate, !rate.isNear(asked) { return nil }
            return CameraMode(
                option.format.pixelFormat, isEmulated: option.format.isEmulated, size: option.size,
                frameRate: rate ?? request.frameRate)
        }
        if let best = modes.min(by: Self.isBetter) { return best }
        throw rateError(sized, request: request, device: device)
    }

    private struct SizedFormat {
        var format: Format
        var range: SizeRange
        var size: FrameSize
    }

    private static let preferredRate = FrameRate(30)
    private static let largestByDefault = FrameSize(1920, 1080)

    /// Formats of the kind asked for; emulated ones only where the driver has none of its own.
    private func usableFormats(for request: CameraRequest, device: String) throws(MediaError) -> [Format] {
        let offered = formats.filter { !$0.sizes.isEmpty }
        guard !offered.isEmpty else {
            let others = unreadFormats.isEmpty ? "nothing" : "only " + unreadFormats.joined(separator: ", ")
            throw MediaError(
                .deviceUnsuitable, "cannot record from \(device)",
                reason: "it offers \(others), and none of "
                    + CameraPixelFormat.allCases.map(\.rawValue).joined(separator: ", "),
                wayOut: "`recorder devices` lists the cameras that can be used")
        }
        var matching = offered
        if let wanted = request.pixelFormat {
            matching = offered.filter { $0.pixelFormat == wanted }
            if matching.isEmpty {
                let names = offered.sorted { $0.pixelFormat.rank < $1.pixelFormat.rank }.map(\.pixelFormat.rawValue)
                throw MediaError(
                    .deviceUnsuitable, "cannot record \(wanted.rawValue) from \(device)",
                    reason: "it offers \(names.joined(separator: ", "))", wayOut: "nearest is \(names.first ?? "")")
            }
        }
        let native = matching.filter { !$0.isEmulated }
        return native.isEmpty ? matching : native
    }

    /// Every way to have the size asked for, or every size worth choosing from.
    private func sizedFormats(
        _ formats: [Format], for request: CameraRequest, device: String
    ) throws(MediaError) -> [SizedFormat] {
        let all = formats.flatMap { format in format.sizes.map { (format, $0) } }
        guard let size = request.size else {
            return all.flatMap { format, range in
                range.choices.map { SizedFormat(format: format, range: range, size: $0) }
            }
        }
        let matching = all.filter { $0.1.contains(size) }
        if !matching.isEmpty { return matching.map { SizedFormat(format: $0.0, range: $0.1, size: size) } }
        let nearest = all.map { $0.1.nearest(to: size) }
            .min { ($0.distance(to: size), $0.area) < ($1.distance(to: size), $1.area) }
        let what = request.pixelFormat.map { " in \($0.rawValue)" } ?? ""
        throw MediaError(
            .deviceUnsuitable, "cannot record \(size) from \(device)", reason: "it has no such size\(what)",
            wayOut: "nearest is \(nearest.map(String.init(describing:)) ?? "unknown")")
    }

    private func rateError(_ options: [SizedFormat], request: CameraRequest, device: String) -> MediaError {
        let wanted = request.frameRate ?? Self.preferredRate
        let rates = options.compactMap { $0.range.rates(at: $0.size).nearest(to: wanted) }
        let nearest = rates.min {
            abs($0.framesPerSecond - wanted.framesPerSecond) < abs($1.framesPerSecond - wanted.framesPerSecond)
        }
        let size = request.size.map { "\($0) " } ?? ""
        let kind = request.pixelFormat.map { " in \($0.rawValue)" } ?? ""
        var wayOut = "nearest is \(nearest.map(String.init(describing:)) ?? "unknown") fps"
        let others = formats.filter { format in
            format.pixelFormat != request.pixelFormat && request.pixelFormat != nil
                && format.sizes.contains { range in
                    let sizes = request.size.map { range.contains($0) ? [$0] : [] } ?? range.choices
                    return sizes.contains { range.rates(at: $0).nearest(to: wanted)?.isNear(wanted) == true }
                }
        }
        if let other = others.min(by: { $0.pixelFormat.rank < $1.pixelFormat.rank }) {
            wayOut += ", or \(wanted) fps in \(other.pixelFormat.rawValue)"
        }
        return MediaError(
            .deviceUnsuitable, "cannot record \(size)at \(wanted) fps from \(device)",
            reason: "it has no such rate" + (request.size == nil ? "" : " at this size") + kind, wayOut: wayOut)
    }

    /// The order of preference among modes that meet the request.
    private static func isBetter(_ a: CameraMode, _ b: CameraMode) -> Bool {
        func key(_ mode: CameraMode) -> [Double] {
            let rate = mode.frameRate?.framesPerSecond ?? preferredRate.framesPerSecond
            let fits = mode.size.area <= largestByDefault.area
            return [
                mode.isEmulated ? 1 : 0,
                -min(rate, 24),
                fits ? 0 : 1,
                Double(fits ? -mode.size.area : mode.size.area),
                abs(rate - preferredRate.framesPerSecond) > 6.5 ? 1 : 0,
                Double(mode.pixelFormat.rank),
                abs(rate - preferredRate.framesPerSecond),
                Double(-mode.size.width),
            ]
        }
        return key(a).lexicographicallyPrecedes(key(b))
    }
}
