import MediaTypes

@testable import RecorderStorage

extension OwnerRemoval {
    /// Creates the removal of an owner who has one recorder, without other settings.
    init(of recorder: RecordingName, mirror: String? = nil, in state: StateDirectory) {
        self.init(
            in: state, recorders: { [recorder] },
            configuration: { name throws(MediaError) in
                var configuration = RecordingConfiguration()
                (configuration.name, configuration.mirror) = (name, mirror)
                return configuration
            })
    }
}
