import Dispatch
import Foundation
import RecorderService

/// Where the program begins: on the main thread, with no other one. What an asynchronous `main` would need in order to begin
/// at all, threads and memory for them, is looked for first.
@main
enum Entry {
    static func main() {
        do { try ResourceLimits.prepare(for: .command) } catch {
            CommandFailure(error.description, .unavailable).exit()
        }
        Task {
            await Recorder.main()
            Foundation.exit(0)
        }
        dispatchMain()
    }
}
