public import Capture
public import MediaTypes

/// The devices of one recording, opened and not yet started.
public struct RecordingSources: Sendable {
    public var camera: (any CaptureSource)?
    public var microphone: (any CaptureSource)?

    public init(camera: (any CaptureSource)? = nil, microphone: (any CaptureSource)? = nil) {
        self.camera = camera
        self.microphone = microphone
    }

    /// Closes both. Waits for their threads.
    func stop() {
        camera?.stop()
        microphone?.stop()
    }
}

/// Opens what a configuration asks for. `DeviceOpener` is the real one.
public protocol SourceOpener: Sendable {
    /// May take as long as the drivers do. When it throws nothing is left open.
    func open(_ configuration: RecordingConfiguration) throws(MediaError) -> RecordingSources
}
