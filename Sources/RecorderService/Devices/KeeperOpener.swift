public import MediaTypes

/// Opens what a configuration asks for, to be kept for as long as the recording lasts. `DeviceOpener` is the real one.
public protocol KeeperOpener: Sendable {
    /// Opens the devices; nothing streams yet. May take as long as the drivers do. When it throws nothing is left open.
    ///
    /// - Returns: nil for what is not wanted, or, of the microphone, for none that is there.
    func openKeepers(
        _ configuration: RecordingConfiguration
    ) throws(MediaError) -> (camera: DeviceKeeper?, microphone: DeviceKeeper?)
}
