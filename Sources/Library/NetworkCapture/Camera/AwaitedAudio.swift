import Capture
import MediaTypes

/// A stand-in for audio that a network camera has described but not sent yet. This source is lost as soon as it starts.
///
/// A file gets its tracks when it begins. With this source, a recording has a track even if the audio begins minutes
/// after the video. The source's keeper tries to open the audio again every two seconds, and `SampleDelivery` holds the
/// last three seconds of audio.
final class AwaitedAudio: CaptureSource {
    let format: FormatDescription
    let summary: String

    private let label: String

    init(_ format: FormatDescription, label: String) {
        self.format = format
        self.label = label
        summary = "audio of \(label): none sent so far"
    }

    static func silence(of label: String) -> MediaError {
        MediaError(
            .notFound, "cannot open the audio of \(label)", reason: "the camera has sent none so far",
            wayOut: "switch its microphone on, or use --microphone none")
    }

    func start(_ receiver: @escaping @Sendable (DeviceEvent) -> Void) throws(MediaError) {
        receiver(.gone(Self.silence(of: label)))
    }

    func stop() {}
}
