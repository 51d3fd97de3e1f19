import CommandInterface
import RecorderService

/// Where the program begins.
@main
enum Entry {
    /// Runs on the main thread up to its first wait. Before any thread is made it must be known that threads can be: Swift's own
    /// wait for ever for an address space that they do not get.
    static func main() async {
        StandardDescriptors.fill()
        do { try ResourceLimits.prepare(for: .command) } catch {
            CommandFailure(error.description, .unavailable).exit()
        }
        await Recorder.main()
    }
}
