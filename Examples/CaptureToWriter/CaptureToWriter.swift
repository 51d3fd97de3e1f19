import AVCapture

/// Records five seconds: `CaptureToWriter movie.mov`. With `RECORDER_TEST_DEVICES=1` it needs no hardware.
@main
struct CaptureToWriter {
    static func main() async throws {
        guard CommandLine.arguments.count == 2 else { return print("usage: CaptureToWriter FILE.mov") }
        let recorder = CameraRecorder()
        try recorder.start(to: URL(fileURLWithPath: CommandLine.arguments[1]))
        try await Task.sleep(for: .seconds(5))
        let (dropped, error) = await withCheckedContinuation {
            (continuation: CheckedContinuation<(Int, (any Error)?), Never>) in
            recorder.stop { continuation.resume(returning: ($0, $1)) }
        }
        print(error.map { "failed: \($0)" } ?? "done, \(dropped) frames dropped")
    }
}
