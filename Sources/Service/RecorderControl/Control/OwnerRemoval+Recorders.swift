import CommandInterface
import MediaTypes
package import RecorderStorage

extension OwnerRemoval {
    /// Creates a value that uses this user's recorders and their configuration files.
    package init(in state: StateDirectory = StateDirectory()) {
        self.init(in: state, recorders: { KnownRecorders(in: state).recorded }, configuration: Self.fromFile)
    }

    @Sendable private static func fromFile(_ name: RecordingName) throws(MediaError) -> RecordingConfiguration {
        do throws(RecordingFailure) { return try ConfigurationSource(name).load() } catch {
            throw MediaError(
                .invalidState, "cannot determine whether recordings of \(name) must be copied first",
                reason: error.description, wayOut: "`recorder config check \(name)` shows what is wrong")
        }
    }
}
