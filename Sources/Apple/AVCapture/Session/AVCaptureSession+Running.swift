import AVFoundation
import Foundation
import MediaTypes

extension AVCaptureSession {
    /// Opens the devices and starts the session. Blocks until all devices stream. If one of them cannot be opened, the
    /// session does not run, and posts the reason as a runtime error.
    public func startRunning() {
        let posts: [Post] = life.sync {
            guard !isRunning else { return [] }
            do throws(MediaError) {
                let posts = try begin()
                for output in outputs { output.sessionIsRunning(true) }
                return posts + [.started]
            } catch {
                closeDevices()
                return [.runtimeError(error)]
            }
        }
        posts.forEach(post)
    }

    /// Stops the session and closes the devices. Then a recording in progress is finalized.
    public func stopRunning() {
        let posts: [Post] = life.sync {
            guard isRunning else { return [] }
            return end()
        }
        posts.forEach(post)
    }

    /// Applies a change of the configuration. Does nothing between `beginConfiguration` and `commitConfiguration`.
    func changed() {
        let isDue = state.withLock { state in
            guard state.depth == 0 else { return false }
            state.revision += 1
            return state.isRunning
        }
        guard isDue else { return }
        let posts: [Post] = life.sync {
            guard isRunning else { return [] }
            do throws(MediaError) {
                let posts = try openDevices()
                for output in outputs { output.sessionIsRunning(true) }
                return posts
            } catch {
                return [.runtimeError(error)] + end()
            }
        }
        posts.forEach(post)
    }

    /// Sets the cameras' formats for the preset before the session starts, because a program may read a format or set
    /// one of its frame rates. A running session sets the formats when it opens the devices.
    func adoptPreset() {
        let (cameras, preset) = state.withLock { state in
            (state.depth == 0 && !state.isRunning ? state.cameras : [], state.preset)
        }
        for camera in cameras { camera.adopt(preset) }
    }

    private func end() -> [Post] {
        let wasInterrupted = state.withLock { state in
            state.isRunning = false
            return state.interruptions.areActive
        }
        closeDevices()
        for output in outputs { output.sessionIsRunning(false) }
        return wasInterrupted ? [.interruptionEnded, .stopped] : [.stopped]
    }

    // MARK: Devices, one change at a time

    /// Opens the devices. If another thread changes the configuration meanwhile, opens them again.
    private func begin() throws(MediaError) -> [Post] {
        var posts: [Post] = []
        while true {
            let revision = state.withLock { $0.revision }
            posts += try openDevices()
            let isCurrent = state.withLock { state in
                guard state.revision == revision else { return false }
                state.isRunning = true
                return true
            }
            if isCurrent { return posts }
        }
    }

    /// Opens the devices that the connections need, and closes the others. A device whose mode has changed is closed
    /// and opened again.
    private func openDevices() throws(MediaError) -> [Post] {
        let (inputs, connections, preset, before) = state.withLock {
            ($0.inputs, $0.connections, $0.preset, $0.lines)
        }
        var posts = try refusals(inputs, connections, isRunning: !before.isEmpty)
        var kept: [DeviceLine] = []
        var opened: [DeviceLine] = []
        var wanted: [(device: AVCaptureDevice, targets: [DeviceLine.Target])] = []
        for case let input as AVCaptureDeviceInput in inputs {
            let device = input.device
            device.adopt(preset)
            let targets = connections.filter { $0.inputPorts.first?.device === device }.compactMap { connection in
                connection.output?.sink(for: connection).map {
                    DeviceLine.Target(connection: connection, sink: $0)
                }
            }
            if !targets.isEmpty { wanted.append((device, targets)) }
        }
        // Devices that are no longer needed are closed first, because a driver opens a device only once at a time.
        var ended = false
        for line in before {
            if wanted.contains(where: { $0.device === line.device && $0.device.mode == line.mode }) {
                kept.append(line)
            } else {
                line.stop()
                let id = line.device.uniqueID
                ended = state.withLock { $0.interruptions.left(id) } || ended
            }
        }
        state.withLock { $0.lines = kept }
        for (device, targets) in wanted {
            if let line = kept.first(where: { $0.device === device }) {
                for target in targets { target.connection.setSource(line.format) }
                line.setTargets(targets)
            } else {
                let line = try DeviceLine(device, hotplug: Self.hotplug)
                line.setTargets(targets)
                for target in targets { target.connection.setSource(line.format) }
                state.withLock { $0.lines.append(line) }
                opened.append(line)
            }
        }
        // All devices are open before the first one streams, so that they begin together.
        if ended { posts.append(.interruptionEnded) }
        for line in opened {
            try line.start { [weak self, weak line] notice in
                guard let line else { return }
                self?.noticed(notice, of: line)
            }
            posts.append(.connected(line.device))
        }
        return posts
    }

    /// Checks for settings that were refused. When the session starts, throws the first error. While the session runs,
    /// returns all errors as runtime errors, so that an unsupported value does not end a recording.
    private func refusals(
        _ inputs: [AVCaptureInput], _ connections: [AVCaptureConnection], isRunning: Bool
    ) throws(MediaError) -> [Post] {
        let devices = inputs.compactMap { ($0 as? AVCaptureDeviceInput)?.device }
        let faults =
            outputs.compactMap(\.fault) + connections.compactMap(\.fault)
            + devices.compactMap { $0.state.withLock { $0.fault } }
        guard isRunning else {
            if let fault = faults.first { throw fault }
            return []
        }
        for connection in connections { connection.clearFault() }
        for device in devices { device.state.withLock { $0.fault = nil } }
        return faults.map { .runtimeError($0) }
    }

    private func closeDevices() {
        let (lines, connections) = state.withLock { state in
            defer {
                state.lines = []
                state.interruptions = Interruptions()
            }
            return (state.lines, state.connections)
        }
        for line in lines { line.stop() }
        for connection in connections { connection.setSource(nil) }
    }

    /// Called on a device's thread. The program's code must not run on this thread, so the notice is handled on a
    /// queue.
    private func noticed(_ notice: DeviceLine.Notice, of line: DeviceLine) {
        notices.async { [weak self] in self?.handle(notice, line) }
    }

    /// Handles a notice. Does nothing if the session has closed the device since the notice, even if the device is open
    /// again.
    private func handle(_ notice: DeviceLine.Notice, _ line: DeviceLine) {
        let device = line.device
        let id = device.uniqueID
        let isNews: Bool? = state.withLock { state in
            guard state.lines.contains(where: { $0 === line }) else { return nil }
            switch notice {
            case .gone: return state.interruptions.gone(id)
            case .back: return state.interruptions.back(id)
            }
        }
        guard let isNews else { return }
        switch notice {
        case .gone(let error):
            if error.code == .deviceLost || error.code == .notFound { device.setConnected(false) }
            if isNews { post(.interrupted(error, device)) }
        case .back:
            device.setConnected(true)
            if isNews { post(.interruptionEnded) }
        }
    }
}
