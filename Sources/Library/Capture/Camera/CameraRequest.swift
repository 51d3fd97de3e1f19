public import MediaTypes

/// A request for a camera mode. A property that is nil is chosen by `CameraCapabilities.mode(for:device:)`.
public struct CameraRequest: Sendable, Hashable {
    public var size: FrameSize?
    public var frameRate: FrameRate?
    public var pixelFormat: CameraPixelFormat?
    /// The input's number or name, for a camera with several inputs; nil to keep the current one.
    package var input: String?

    public init(size: FrameSize? = nil, frameRate: FrameRate? = nil, pixelFormat: CameraPixelFormat? = nil) {
        self.size = size
        self.frameRate = frameRate
        self.pixelFormat = pixelFormat
    }
}

/// One mode in which a camera can run.
public struct CameraMode: Sendable, Hashable {
    public var pixelFormat: CameraPixelFormat
    /// True if the format is converted by libv4l2.
    public var isEmulated: Bool
    public var size: FrameSize
    /// The frame rate; nil if the driver does not report it.
    public var frameRate: FrameRate?

    public init(_ pixelFormat: CameraPixelFormat, isEmulated: Bool = false, size: FrameSize, frameRate: FrameRate?) {
        self.pixelFormat = pixelFormat
        self.isEmulated = isEmulated
        self.size = size
        self.frameRate = frameRate
    }
}

extension CameraCapabilities {
    /// Returns the mode for a request. A pure function: the device is not queried.
    ///
    /// Requested values are met exactly (a rate to within 0.5 %) or refused. Each size runs at the rate nearest to 30
    /// fps among its rates of at least 24 fps; if all are slower, at the fastest. Choices that the request leaves open
    /// are then made in this order: a native format before an emulated one; at least 24 fps; the largest size up to
    /// 1920×1080; a rate near 30 fps; raw frames before MJPEG before H.264. HEVC is never decoded. It is used only if
    /// it is requested, or if the camera offers no other format.
    ///
    /// - Parameter device: The device's name, for the message.
    /// - Throws: `deviceUnsuitable`, with the nearest mode that the camera supports.
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

    /// Returns the offered formats that match the request; emulated ones only if the driver has no native one.
    private func usableFormats(for request: CameraRequest, device: String) throws(MediaError) -> [Format] {
        let offered = formats.filter { !$0.sizes.isEmpty }
        guard !offered.isEmpty else {
            let others = unreadFormats.isEmpty ? "nothing" : "only " + unreadFormats.joined(separator: ", ")
            throw MediaError(
                .deviceUnsuitable, "cannot record from \(device)",
                reason: "it offers \(others), but none of the supported formats "
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
        if request.pixelFormat == nil {
            let others = matching.filter { $0.pixelFormat != .hevc }
            if !others.isEmpty { matching = others }
        }
        let native = matching.filter { !$0.isEmulated }
        return native.isEmpty ? matching : native
    }

    /// Returns every format that has the requested size, or all sizes to choose from if none is requested.
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
            .deviceUnsuitable, "cannot record \(size) from \(device)", reason: "it does not offer this size\(what)",
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
            reason: "it does not offer this rate" + (request.size == nil ? "" : " at this size") + kind, wayOut: wayOut)
    }

    /// Returns true if `a` is preferred to `b`. Both meet the request.
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
