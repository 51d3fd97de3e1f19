package import Capture
import Glibc
package import MediaTypes
package import RTSP
import RealTime

/// The video of a network camera (RTSP), as a push source. It delivers packets of H.264, HEVC or MJPEG as the camera
/// sends them, with their capture times on the monotonic clock.
///
/// One thread receives all streams of the camera; `audio()` returns the source of the audio stream. The initializer
/// connects to the camera and starts its streams. Samples from the latest keyframe on are held until `start`, within
/// limits.
package final class NetworkCamera: CaptureSource {
    /// Returns a camera's user and password; nil if it needs none.
    package typealias CredentialSource = @Sendable () throws(MediaError) -> Credentials?
    /// Returns the trusted certificates as PEM; nil for those that the system trusts.
    package typealias CertificateSource = @Sendable () throws(MediaError) -> [UInt8]?

    package let format: FormatDescription
    package let frameRate: FrameRate?
    package let summary: String

    private let label: String
    private let link: NetworkLink

    /// Connects to the camera, and waits for its first keyframe.
    ///
    /// - Parameters:
    ///   - credentials: The result of `setup.credentials`; nil if the camera needs none.
    ///   - link: An unused link. Another thread may fire its `stopSignal` to end the wait.
    ///   - resolver: finds the addresses of hosts.
    /// - Throws: `notFound`, `notPermitted`, `deviceLost`, … with the host and the cause, never with credentials.
    init(
        _ setup: NetworkCameraSetup, _ credentials: Credentials?, link: NetworkLink, resolver: NameResolver
    ) throws(MediaError) {
        let action = "cannot open \(setup.url.label)"
        guard link.isUsable else {
            throw MediaError(.ioFailure, action, reason: "too many open files", underlying: .errno(EMFILE))
        }
        do throws(ThreadError) {
            _ = try NamedThread("network-camera", isUrgent: true) {
                CameraConnection(setup, credentials, link: link, resolver: resolver).run()
            }
        } catch {
            throw MediaError(.ioFailure, action, reason: "no thread is available", underlying: .errno(error.errno))
        }
        let streams = try link.waitUntilOpen()
        self.link = link
        label = setup.url.label
        format = streams.video
        frameRate = streams.frameRate
        summary = Self.summary(setup.url.label, streams)
    }

    deinit { link.leave(.video, waits: false) }

    private static func summary(_ label: String, _ streams: NetworkLink.Streams) -> String {
        var text = label + ":"
        if let video = streams.video.video { text += " \(video.width)×\(video.height) \(video.codec)" }
        if let rate = streams.frameRate { text += " at \(rate) fps" }
        return text + " over \(streams.transport)"
    }

    package func start(_ receiver: @escaping @Sendable (DeviceEvent) -> Void) throws(MediaError) {
        try link.start(.video, "cannot start \(label)", receiver)
    }

    /// Ends the video. When the camera's audio has ended too, the connection sends TEARDOWN, waits at most a fifth of a
    /// second for the response, and ends.
    package func stop() {
        link.video.close()
        link.leave(.video, waits: true)
    }

    /// Returns the source of the camera's audio. Succeeds once, and only while the camera is connected.
    ///
    /// - Throws: `notFound` without audio, or before the camera has sent any.
    func audio() throws(MediaError) -> NetworkAudio {
        let action = "cannot open the audio of \(label)"
        if let failure = link.failure {
            throw MediaError(.notFound, action, reason: "the camera is disconnected: \(failure.reason)")
        }
        guard let streams = link.streams, let format = streams.audio else {
            throw MediaError(
                .notFound, action, reason: "the camera sends none that can be recorded",
                wayOut: "switch its audio on, as AAC, Opus or G.711, or use --microphone none")
        }
        guard streams.hasAudioBegun else { throw AwaitedAudio.silence(of: label) }
        guard link.join(.audio) else {
            throw MediaError(.busy, action, reason: "it is in use already, or the camera was stopped")
        }
        return NetworkAudio(format, decodedFrom: streams.decodedAudio, label: label, link: link)
    }

    /// Returns a stand-in for audio that the camera has described but not sent yet; nil if there is no such audio.
    func awaitedAudio() -> AwaitedAudio? {
        guard let streams = link.streams, !streams.hasAudioBegun, let format = streams.audio else { return nil }
        return AwaitedAudio(format, label: label)
    }
}

/// The audio of a network camera, as a push source: AAC as the camera sends it, or PCM.
package final class NetworkAudio: CaptureSource {
    package let format: FormatDescription
    package let summary: String

    private let label: String
    private let link: NetworkLink

    fileprivate init(_ format: FormatDescription, decodedFrom encoding: String?, label: String, link: NetworkLink) {
        self.format = format
        self.label = label
        self.link = link
        var text = "audio of \(label):"
        if let audio = format.audio {
            let channels =
                audio.channelCount == 1 ? "mono" : audio.channelCount == 2 ? "stereo" : "\(audio.channelCount) channels"
            text += " \(audio.sampleRate) Hz \(channels) \(audio.pcm?.rawValue ?? audio.codec.rawValue)"
            if let encoding { text += ", decoded from \(encoding)" }
        }
        summary = text
    }

    deinit { link.leave(.audio, waits: false) }

    package func start(_ receiver: @escaping @Sendable (DeviceEvent) -> Void) throws(MediaError) {
        try link.start(.audio, "cannot start the audio of \(label)", receiver)
    }

    package func stop() {
        link.audio.close()
        link.leave(.audio, waits: true)
    }
}

extension NetworkLink {
    /// Begins to deliver a stream. The held samples are delivered first.
    fileprivate func start(
        _ type: MediaType, _ action: String, _ receiver: @escaping @Sendable (DeviceEvent) -> Void
    ) throws(MediaError) {
        guard tap(type).start(receiver) else {
            throw MediaError(.invalidState, action, reason: "it was started or stopped before")
        }
        startSignal.fire()
        guard let failure else { return }
        tap(type).close()
        throw MediaError(
            failure.code, action, reason: failure.reason, underlying: failure.underlying, wayOut: failure.wayOut)
    }
}
