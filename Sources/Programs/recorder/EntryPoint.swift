import CommandInterface
import RecorderControl

/// The program's entry point.
@main
enum EntryPoint {
    /// Runs on the main thread up to its first wait. The thread limit must be checked before the first thread is
    /// created: Swift's own threads wait forever if they cannot get their address space.
    static func main() async {
        StandardDescriptors.fill()
        do { try ResourceLimits.prepare(for: .command) } catch {
            CommandFailure(error.description, .unavailable).exit()
        }
        await Recorder.main()
    }
}
