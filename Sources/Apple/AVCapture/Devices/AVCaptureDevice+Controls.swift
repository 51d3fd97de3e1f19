import AVFoundation
import Foundation
import MediaTypes

extension AVCaptureDevice {
    /// The current values of the camera's controls. If they cannot be read, the values that the program set.
    var controlValues: ControlRules.Values {
        if let access = found.access, let values = try? access.read() { return values }
        let own = Dictionary(state.withLock { $0.controls }.map { ($0.name, $0.value) }) { _, later in later }
        return rules.controls.compactMapValues { own[$0.name] }
    }

    /// Sets controls now, and again each time that a session opens the camera. Requires the configuration lock.
    ///
    /// - Parameter name: The property or method that the program used, for the error.
    /// - Returns: false if the change is invalid, or if the driver refuses it.
    @discardableResult func change(_ name: String, _ outcome: ControlRules.Outcome) -> Bool {
        controlWork.sync {
            var valid: ControlChange?
            configure(name) { state in
                switch outcome {
                case .failure(let invalid): return invalid.reason
                case .success(let change):
                    valid = change
                    state.keep(change, modes: rules.modes)
                    return nil
                }
            }
            guard let change = valid else { return false }
            return write(change.values + change.buttons, for: name)
        }
    }

    /// Sets controls of the camera itself. Blocks until its driver responds.
    ///
    /// - Returns: false if the driver refuses the values.
    private func write(_ values: [DeviceControl], for name: String) -> Bool {
        guard !values.isEmpty, let access = found.access else { return true }
        do throws(MediaError) { try access.set(values) } catch {
            // A disconnected camera gets the values when it is opened again.
            guard error.code != .notFound, error.code != .deviceLost else { return true }
            state.withLock { state in
                state.controls.removeAll { control in values.contains { $0.name == control.name } }
                state.fault = MediaError(
                    .invalidSettings, "cannot set \(name) of \(found.name)", reason: error.description)
            }
            return false
        }
        return true
    }

    /// Calls a handler with the current time, as the time of a change.
    func report(_ handler: (@Sendable (CMTime) -> Void)?) {
        guard let handler else { return }
        let time = CMClock.hostTimeClock.time
        DispatchQueue(label: "recorder.camera-control-report").async { handler(time) }
    }
}

extension AVCaptureDevice.State {
    /// Stores the values for the next time that a session opens the camera: each control once, in the order of the
    /// calls.
    ///
    /// - Parameter modes: The names of controls that keep their position in the order if their value stays the same.
    ///   The order matters: a driver, for example, refuses an exposure time while the mode is not manual.
    fileprivate mutating func keep(_ change: ControlChange, modes: [String]) {
        let values = change.values.filter { !modes.contains($0.name) || !controls.contains($0) }
        let names = values.map(\.name) + change.forgotten
        controls.removeAll { names.contains($0.name) }
        controls += values
    }
}
