package import MediaTypes
import RealTime

/// Opens one microphone as often as needed, and always the same one.
///
/// The first opening uses the requested name. Later openings use the id that the card had at the first opening instead
/// of its number, such as `hw:Webcam,0` instead of `hw:1,0`. Another card may have the number by then. Names without a
/// card, such as `default`, are kept, so the sound server decides which microphone they mean. The microphone gets its
/// previous format, if it still supports that. Otherwise it gets the requested format, and otherwise any format that it
/// supports.
package final class ReconnectingMicrophone: Sendable {
    private struct Known: Sendable {
        var name: String
        var format: AudioFormat?
    }

    private let name: String
    private let request: MicrophoneRequest
    private let known = Locked<Known?>(nil)

    package init(_ name: String, request: MicrophoneRequest) {
        self.name = name
        self.request = request
    }

    package func open() throws(MediaError) -> any CaptureSource {
        let microphone: ALSAMicrophone
        if let known = known.withLock({ $0 }) {
            let asBefore = known.format.map {
                MicrophoneRequest(sampleRate: $0.sampleRate, channels: $0.channelCount, format: $0.pcm)
            }
            let requests = (asBefore.map { [$0] } ?? []) + [request, MicrophoneRequest()]
            microphone = try openFirstSuitable(requests) { request throws(MediaError) in
                try ALSAMicrophone(device: known.name, request: request)
            }
        } else {
            microphone = try ALSAMicrophone(device: name, request: request)
        }
        known.withLock { $0 = Known(name: microphone.stableName, format: microphone.format.audio) }
        return microphone
    }
}
