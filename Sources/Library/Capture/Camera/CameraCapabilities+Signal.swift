import MediaTypes

extension CameraCapabilities {
    /// Returns the mode for a request to a camera that may follow a signal at its input. A pure function.
    ///
    /// The signal determines the rate. If no size is requested, the frames have the signal's size, provided that the
    /// camera offers it.
    ///
    /// - Parameter signal: The signal; nil for a camera that determines size and rate itself.
    /// - Throws: `deviceUnsuitable`, with the nearest mode that the camera supports.
    func mode(
        for request: CameraRequest, signal: InputSignal?, device: String
    ) throws(MediaError) -> CameraMode {
        guard let signal else { return try mode(for: request, device: device) }
        let rate = signal.frameRate
        if let asked = request.frameRate, !rate.isNear(asked) {
            throw MediaError(
                .deviceUnsuitable, "cannot record at \(asked) fps from \(device)",
                reason: "the signal at its input has another rate", wayOut: "nearest is \(rate) fps")
        }
        var open = request
        open.frameRate = nil
        var chosen: CameraMode
        if request.size == nil {
            open.size = signal.size
            do throws(MediaError) {
                chosen = try mode(for: open, device: device)
            } catch {
                guard error.code == .deviceUnsuitable else { throw error }
                open.size = nil
                chosen = try mode(for: open, device: device)
            }
        } else {
            chosen = try mode(for: open, device: device)
        }
        chosen.frameRate = rate
        return chosen
    }
}

extension CameraRequest {
    /// Returns the request for the mode in which a camera ran before it disconnected.
    ///
    /// - Parameter followsSignal: true if the mode followed a signal at the camera's input. The signal's size and rate
    ///   may have changed.
    func asBefore(_ mode: CameraMode, followsSignal: Bool) -> CameraRequest {
        var again = self
        again.pixelFormat = mode.pixelFormat
        guard !followsSignal else { return again }
        again.size = mode.size
        again.frameRate = mode.frameRate
        return again
    }
}
