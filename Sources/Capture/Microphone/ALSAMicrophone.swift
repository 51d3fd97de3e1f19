public import MediaTypes
import RealTime

/// A microphone of the kernel's sound interface (ALSA), as a push source.
///
/// Blocks of some 20 ms, each with the measured time of its first frame on CLOCK_MONOTONIC, in nanoseconds: from the
/// driver's own time stamp, never from the moment of the read. A ring of half a second or more forgives a late reader;
/// when it still overflows (an xrun) the stream is started again and the frames that are missing are reported as lost.
public final class ALSAMicrophone: CaptureSource {
    /// The name it was opened by: `hw:1,0`, `plughw:CARD=Webcam`, `default`, or any other of ALSA's configuration.
    public let device: String
    /// The same microphone when other cards come and go: with the card's id in the place of its number.
    public let stableName: String
    public let format: FormatDescription
    public let summary: String
    /// How long a reader may be late before sound is lost.
    public let ringDuration: MediaTime

    private let stream: ALSAStream
    private let thread = CaptureThread(name: "microphone")

    /// Opens the microphone and sets it up. Nothing streams yet.
    ///
    /// - Parameters:
    ///   - device: ALSA's name for it, or the name of its card.
    ///   - request: what is wanted of it.
    ///   - silenceTimeout: so long without a block, and the microphone counts as lost.
    /// - Throws: `notFound`, `busy`, `notPermitted`; `deviceUnsuitable` when it only plays, or cannot do what was asked
    ///   (with the nearest that it can).
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

    /// ALSA's names first; what it does not know may be the name of a card.
    private static func open(_ name: String) throws(MediaError) -> ALSADevice {
        do throws(MediaError) {
            return try ALSADevice(name)
        } catch {
            guard error.code == .notFound, let device = MicrophoneDiscovery.device(ofCard: name) else { throw error }
            return try ALSADevice(device)
        }
    }

    public func start(_ receiver: @escaping @Sendable (DeviceEvent) -> Void) throws(MediaError) {
        // The thread holds the stream, not this object: a microphone that is dropped stops.
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

    /// "hw:CARD=Loopback,DEV=1: 48000 Hz stereo s16, periods of 20 ms, ring of 4000 ms".
    private static func summary(_ name: String, _ setup: ALSADevice.Setup) -> String {
        let format = setup.format
        func milliseconds(_ frames: Int) -> Int { (frames * 1000 + format.sampleRate / 2) / format.sampleRate }
        let channels = [1: "mono", 2: "stereo"][format.channelCount] ?? "\(format.channelCount) channels"
        return "\(name): \(format.sampleRate) Hz \(channels) \(format.pcm?.rawValue ?? ""), "
            + "periods of \(milliseconds(setup.periodFrames)) ms, ring of \(milliseconds(setup.bufferFrames)) ms"
    }
}
