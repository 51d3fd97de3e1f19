public import MediaTypes
import RealTime

/// A microphone of the kernel's audio interface (ALSA), as a push source.
///
/// Blocks usually last 60 ms, and 20 ms at first. Each block has the time of its first frame on CLOCK_MONOTONIC, in
/// nanoseconds. That time is derived from the driver's own timestamp, not from the time of the read. A ring of half a
/// second or more tolerates a late reader. If the ring still overflows (an xrun), the stream is restarted and the
/// missing frames are reported as lost.
public final class ALSAMicrophone: CaptureSource {
    /// The name that the microphone was opened by: `hw:1,0`, `plughw:CARD=Webcam`, `default`, or any other ALSA name.
    public let device: String
    /// The name that identifies the microphone when other cards come and go: with the card's id instead of its number.
    public let stableName: String
    public let format: FormatDescription
    public let summary: String
    /// The time that a reader may be late before audio is lost.
    public let ringDuration: MediaTime

    private let stream: ALSAStream
    private let thread = CaptureThread(name: "microphone")

    /// Opens the microphone and sets it up. Streaming does not start yet.
    ///
    /// - Parameters:
    ///   - device: ALSA's name for the microphone, or the name of its card.
    ///   - request: The requested format.
    ///   - silenceTimeout: The time without a block after which the microphone counts as lost.
    /// - Throws: `notFound`, `busy`, `notPermitted`; `deviceUnsuitable` if it only plays, or cannot meet the request
    ///   (with the nearest setup that it supports).
    public init(
        device: String, request: MicrophoneRequest = MicrophoneRequest(),
        silenceTimeout: MediaTime = MediaTime(value: 5, timescale: 1)
    ) throws(MediaError) {
        let pcm = try Self.open(device)
        let setup = try pcm.setUp(request)
        self.device = pcm.name
        stableName = ALSAName(pcm.name).withCardByID { MicrophoneDiscovery.id(ofCard: $0) }
        format = .audio(setup.format)
        ringDuration = MediaTime(value: Int64(setup.bufferFrames), timescale: Int32(setup.format.sampleRate))
        summary = Self.summary(pcm.name, setup)
        stream = ALSAStream(pcm, setup, silenceTimeout: silenceTimeout.nanoseconds)
    }

    /// Opens a microphone by its ALSA name. A name that ALSA does not know may be that of a card.
    static func open(_ name: String) throws(MediaError) -> ALSADevice {
        do throws(MediaError) {
            return try ALSADevice(name)
        } catch {
            guard error.code == .notFound, let device = MicrophoneDiscovery.device(ofCard: name) else { throw error }
            return try ALSADevice(device)
        }
    }

    public func start(_ receiver: @escaping @Sendable (DeviceEvent) -> Void) throws(MediaError) {
        // The thread references the stream and not this object. Therefore the microphone stops when its user releases
        // it.
        let (stream, stop) = (stream, thread.stopSignal)
        try thread.start("cannot start the microphone \(device)") { () throws(MediaError) in
            try stream.start()
        } body: {
            stream.run(stop: stop, receiver: receiver)
        } close: {
            stream.close()
        }
    }

    public func stop() {
        if thread.stop() { stream.close() }
    }

    /// Returns a line such as "hw:CARD=Loopback,DEV=1: 48000 Hz stereo s16, periods of 20 ms, ring of 4000 ms".
    private static func summary(_ name: String, _ setup: ALSADevice.Setup) -> String {
        let format = setup.format
        func milliseconds(_ frames: Int) -> Int { (frames * 1000 + format.sampleRate / 2) / format.sampleRate }
        let channels = [1: "mono", 2: "stereo"][format.channelCount] ?? "\(format.channelCount) channels"
        return "\(name): \(format.sampleRate) Hz \(channels) \(format.pcm?.rawValue ?? ""), "
            + "periods of \(milliseconds(setup.periodFrames)) ms, ring of \(milliseconds(setup.bufferFrames)) ms"
            + (setup.channelMap?.text.map { ", channels reported as \($0)" } ?? "")
    }
}
