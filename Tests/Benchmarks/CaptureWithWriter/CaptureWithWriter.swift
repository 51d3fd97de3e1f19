import AVCapture
import Foundation
import MediaTypes

/// Records with a session, data outputs and a writer until it gets INT; without `--output` it only counts frames.
/// `scripts/bench` compares it with the recorder, and a test counts its allocations.
@main
struct CaptureWithWriter {
    static let usage = """
        usage: CaptureWithWriter --camera test|DEVICE --size WIDTHxHEIGHT --frame-rate N [--microphone NAME]
                                 [--output MOVIE.mov] [--account FILE]
        """

    static func main() throws {
        guard let options = Options(Array(CommandLine.arguments.dropFirst())) else {
            print(usage)
            exit(64)
        }
        let recorder = SessionRecorder(options)
        signal(SIGINT, SIG_IGN)
        let interrupt = DispatchSource.makeSignalSource(signal: SIGINT, queue: .global())
        interrupt.setEventHandler {
            recorder.stop { isWhole in exit(isWhole ? 0 : 1) }
        }
        interrupt.resume()
        try recorder.start()
        withExtendedLifetime(interrupt) { dispatchMain() }
    }
}

/// The words of the command line.
struct Options {
    var camera: String
    var size: FrameSize
    var frameRate: FrameRate
    var microphone: String?
    var output: URL?
    /// Where the ledger of the frames is written, as JSON.
    var account: URL?

    /// nil for words that are not understood.
    init?(_ arguments: [String]) {
        guard arguments.count % 2 == 0 else { return nil }
        var values: [String: String] = [:]
        for index in stride(from: 0, to: arguments.count, by: 2) { values[arguments[index]] = arguments[index + 1] }
        guard let camera = values.removeValue(forKey: "--camera"),
            let size = values.removeValue(forKey: "--size").flatMap({ FrameSize($0) }),
            let rate = values.removeValue(forKey: "--frame-rate").flatMap({ Int32($0) }), rate > 0
        else { return nil }
        self.camera = camera
        self.size = size
        frameRate = FrameRate(rate)
        microphone = values.removeValue(forKey: "--microphone")
        output = values.removeValue(forKey: "--output").map { URL(fileURLWithPath: $0) }
        account = values.removeValue(forKey: "--account").map { URL(fileURLWithPath: $0) }
        guard values.isEmpty else { return nil }
    }
}
