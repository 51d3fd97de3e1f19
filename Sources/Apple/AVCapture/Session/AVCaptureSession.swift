public import AVFoundation
import Capture
public import Foundation
import MediaTypes
import RealTime

/// Opens devices and connects them to outputs. Safe to use from any thread.
///
/// If a device is unplugged while the session runs, the session is interrupted. When the device is connected again, the
/// session opens it automatically. A session closes its devices when it is released.
open class AVCaptureSession: NSObject, @unchecked Sendable {
    // Unchecked: mutable state is protected by the lock.
    struct State {
        var inputs: [AVCaptureInput] = []
        var outputs: [AVCaptureOutput] = []
        var connections: [AVCaptureConnection] = []
        var preset = AVCaptureSessionPreset.high
        /// The number of calls to `beginConfiguration` that were not committed yet.
        var depth = 0
        /// The number of changes of the configuration. A start in progress compares the number to notice a change.
        var revision = 0
        var isRunning = false
        var lines: [DeviceLine] = []
        var interruptions = Interruptions()
    }

    let state = Locked(State())
    /// The queue on which devices are opened and closed, one change at a time. Drivers may take seconds.
    let life = DispatchQueue(label: "recorder.capture-session")
    /// The queue that posts, in order, the notifications for events on devices' threads.
    let notices = DispatchQueue(label: "recorder.capture-notices")
    static let hotplug = DeviceWatcher()

    public override init() { super.init() }

    deinit {
        let key = ObjectIdentifier(self)
        let state = state.withLock { $0 }
        for case let input as AVCaptureDeviceInput in state.inputs { input.device.stopObserving(key) }
        // From now on, another session may use the outputs.
        for connection in state.connections { release(connection) }
        if state.isRunning { for output in state.outputs { output.sessionIsRunning(false) } }
        // Each line closes its device when it is released.
    }

    // MARK: State

    open var inputs: [AVCaptureInput] { state.withLock { $0.inputs } }
    open var outputs: [AVCaptureOutput] { state.withLock { $0.outputs } }
    open var connections: [AVCaptureConnection] { state.withLock { $0.connections } }
    open var isRunning: Bool { state.withLock { $0.isRunning } }
    /// True while a device of the running session is unplugged.
    open var isInterrupted: Bool { state.withLock { $0.interruptions.areActive } }
    /// The clock that measures all timestamps.
    open var synchronizationClock: CMClock? { .hostTimeClock }
    open var masterClock: CMClock? { .hostTimeClock }

    /// The preset; `.inputPriority` after a program has set the active format of a camera in the session. Setting the
    /// preset sets the active formats of the session's cameras. A camera whose format changes returns to its default
    /// frame rate.
    open var sessionPreset: Preset {
        get {
            let state = state.withLock { $0 }
            let isChosen = state.cameras.contains { $0.state.withLock { $0.isChosen } }
            return isChosen ? .inputPriority : state.preset
        }
        set {
            let cameras = state.withLock { state in
                state.preset = newValue
                return state.cameras
            }
            if newValue != .inputPriority { for camera in cameras { camera.releaseFormat() } }
            adoptPreset()
            changed()
        }
    }

    /// Returns true if every camera of the session has a format for the preset.
    open func canSetSessionPreset(_ preset: Preset) -> Bool {
        PresetChoice(preset) != nil && state.withLock { $0.cameras }.allSatisfy { $0.supportsSessionPreset(preset) }
    }

    // MARK: Configuration

    /// Defers changes until `commitConfiguration`. Calls may be nested.
    open func beginConfiguration() { state.withLock { $0.depth += 1 } }

    /// Applies all changes since `beginConfiguration` together.
    open func commitConfiguration() {
        state.withLock { $0.depth = max(0, $0.depth - 1) }
        adoptPreset()
        changed()
    }

    /// Returns true if the input is an `AVCaptureDeviceInput` and its device is not in the session.
    open func canAddInput(_ input: AVCaptureInput) -> Bool { state.withLock { $0.accepts(input) } }

    /// Adds an input, and connects it to every output that accepts it. Does nothing if it cannot be added.
    open func addInput(_ input: AVCaptureInput) { add(input, connecting: true) }

    open func addInputWithNoConnections(_ input: AVCaptureInput) { add(input, connecting: false) }

    private func add(_ input: AVCaptureInput, connecting: Bool) {
        let isAdded = state.withLock { state in
            guard state.accepts(input) else { return false }
            state.inputs.append(input)
            return true
        }
        guard isAdded else { return }
        if let device = (input as? AVCaptureDeviceInput)?.device {
            device.observe(self) { [weak self] in self?.changed() }
        }
        if connecting { for output in outputs { connect(input, output) } }
        adoptPreset()
        changed()
    }

    open func removeInput(_ input: AVCaptureInput) {
        let wasThere = state.withLock { state in
            let count = state.inputs.count
            state.inputs.removeAll { $0 === input }
            return state.inputs.count < count
        }
        guard wasThere else { return }
        for connection in connections where connection.inputPorts.contains(where: { $0.input === input }) {
            drop(connection)
        }
        (input as? AVCaptureDeviceInput)?.device.stopObserving(ObjectIdentifier(self))
        changed()
    }

    /// Returns true if the output has no connections, is not in this session, and has valid settings.
    open func canAddOutput(_ output: AVCaptureOutput) -> Bool { state.withLock { $0.accepts(output) } }

    /// Adds an output, and connects it to the first input of each kind that the output accepts. Does nothing if it
    /// cannot be added.
    open func addOutput(_ output: AVCaptureOutput) { add(output, connecting: true) }

    open func addOutputWithNoConnections(_ output: AVCaptureOutput) { add(output, connecting: false) }

    private func add(_ output: AVCaptureOutput, connecting: Bool) {
        let isAdded = state.withLock { state in
            guard state.accepts(output) else { return false }
            state.outputs.append(output)
            return true
        }
        guard isAdded else { return }
        if connecting { for input in inputs { connect(input, output) } }
        changed()
    }

    open func removeOutput(_ output: AVCaptureOutput) {
        let wasThere = state.withLock { state in
            let count = state.outputs.count
            state.outputs.removeAll { $0 === output }
            return state.outputs.count < count
        }
        for connection in connections where connection.output === output { drop(connection) }
        if wasThere { output.sessionIsRunning(false) }
        changed()
    }

    /// Returns true if the connection's ports and output are in the session, and the output accepts the connection.
    open func canAddConnection(_ connection: AVCaptureConnection) -> Bool {
        guard let output = connection.output, let type = connection.mediaType, connection.inputPorts.count == 1 else {
            return false
        }
        let (inputs, outputs) = state.withLock { ($0.inputs, $0.outputs) }
        return outputs.contains { $0 === output } && output.accepts(type)
            && inputs.contains { input in input.ports.contains { $0 === connection.inputPorts[0] } }
    }

    open func addConnection(_ connection: AVCaptureConnection) {
        guard canAddConnection(connection), connection.output?.join(connection) == true else { return }
        state.withLock { $0.connections.append(connection) }
        changed()
    }

    open func removeConnection(_ connection: AVCaptureConnection) {
        guard connections.contains(where: { $0 === connection }) else { return }
        drop(connection)
        changed()
    }

    private func connect(_ input: AVCaptureInput, _ output: AVCaptureOutput) {
        for port in input.ports where output.accepts(port.mediaType) {
            let connection = AVCaptureConnection(inputPorts: [port], output: output)
            guard output.join(connection) else { continue }
            // Another thread may have removed the input or the output meanwhile.
            let isWanted = state.withLock { state in
                guard state.inputs.contains(where: { $0 === input }), state.outputs.contains(where: { $0 === output })
                else { return false }
                state.connections.append(connection)
                return true
            }
            if !isWanted { release(connection) }
        }
    }

    private func drop(_ connection: AVCaptureConnection) {
        release(connection)
        state.withLock { state in state.connections.removeAll { $0 === connection } }
    }

    /// Separates a connection from its output. A recording that is about to start thereby notices that no frame will
    /// come.
    private func release(_ connection: AVCaptureConnection) {
        connection.output?.part(from: connection)
        connection.setSource(nil)
    }
}

extension AVCaptureSession.State {
    var cameras: [AVCaptureDevice] {
        inputs.compactMap { ($0 as? AVCaptureDeviceInput)?.device }.filter { $0.found.kind == .camera }
    }

    func accepts(_ input: AVCaptureInput) -> Bool {
        guard let device = (input as? AVCaptureDeviceInput)?.device else { return false }
        return !inputs.contains { ($0 as? AVCaptureDeviceInput)?.device === device }
    }

    func accepts(_ output: AVCaptureOutput) -> Bool {
        !outputs.contains { $0 === output } && output.connections.isEmpty && output.fault == nil
    }
}
