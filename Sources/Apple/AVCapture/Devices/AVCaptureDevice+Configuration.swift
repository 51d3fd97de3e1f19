public import AVFoundation
import MediaTypes

extension AVCaptureDevice {
    /// Allows changes of the device until `unlockForConfiguration`. Calls may be nested.
    ///
    /// - Throws: Never. If another program uses the device, the error occurs only when a session opens it.
    public func lockForConfiguration() throws {
        state.withLock { state in
            if state.lockCount == 0 { state.modeWhenLocked = deviceMode(state) }
            state.lockCount += 1
        }
    }

    /// Ends the changes. A running session opens the device again if its mode has changed.
    public func unlockForConfiguration() {
        let observers: [@Sendable () -> Void] = state.withLock { state in
            guard state.lockCount > 0 else { return [] }
            state.lockCount -= 1
            guard state.lockCount == 0, let before = state.modeWhenLocked else { return [] }
            state.modeWhenLocked = nil
            return deviceMode(state) == before ? [] : Array(state.observers.values)
        }
        for observer in observers { observer() }
    }

    /// The shortest time from one frame to the next, which sets the highest rate. `.invalid` restores the device's own
    /// rate.
    public var activeVideoMinFrameDuration: CMTime {
        get { duration { $0.minDuration } }
        set { setDuration(newValue, "activeVideoMinFrameDuration") { $0.minDuration = newValue } }
    }

    /// The longest time from one frame to the next. On Linux a camera has one rate, which `activeVideoMinFrameDuration`
    /// sets; this property sets the rate only if `activeVideoMinFrameDuration` is `.invalid`.
    public var activeVideoMaxFrameDuration: CMTime {
        get { duration { $0.maxDuration } }
        set { setDuration(newValue, "activeVideoMaxFrameDuration") { $0.maxDuration = newValue } }
    }

    private func duration(_ set: (State) -> CMTime) -> CMTime {
        state.withLock { state in
            let own = set(state)
            if own.isValid { return own }
            return deviceMode(state).frameRate.map { CMTime($0.interval) } ?? .invalid
        }
    }

    private func setDuration(_ duration: CMTime, _ name: String, _ set: (inout State) -> Void) {
        configure(name) { state in
            if duration.isValid {
                guard let rate = FrameRate(interval: duration) else { return "\(duration) is not a positive time" }
                let format = format(state.active)
                if !format.device.rates.isEmpty, !format.device.offers(rate) {
                    return "the active format has no rate of \(rate) fps"
                }
            }
            set(&state)
            return nil
        }
    }

    func select(_ format: Format) {
        configure("activeFormat") { state in
            guard let place = formats.firstIndex(where: { $0 === format }) else {
                return "the format belongs to another device"
            }
            if place != state.active { (state.minDuration, state.maxDuration) = (.invalid, .invalid) }
            state.active = place
            state.isChosen = true
            return nil
        }
    }

    /// Changes the state, which requires the configuration lock.
    ///
    /// - Parameter change: Changes the state and returns nil, or returns the reason why the value is invalid.
    func configure(_ name: String, _ change: (inout State) -> String?) {
        state.withLock { state in
            let reason =
                state.lockCount > 0 ? change(&state) : "the device is not locked; call lockForConfiguration first"
            guard let reason else {
                state.fault = nil
                return
            }
            state.fault = MediaError(
                .invalidSettings, "cannot set \(name) of \(found.name)", reason: reason)
        }
    }

    /// Registers a function for changes of the mode. It is called each time that the device is unlocked with a changed
    /// mode, on the thread that unlocks the device, until `stopObserving`.
    func observe(_ observer: AnyObject, _ body: @escaping @Sendable () -> Void) {
        let key = ObjectIdentifier(observer)
        state.withLock { $0.observers[key] = body }
    }

    func stopObserving(_ observer: ObjectIdentifier) { state.withLock { $0.observers[observer] = nil } }
}
