import CV4L2
package import MediaCodecs
package import MediaTypes
import RealTime

/// Encodes H.264 with an encoder of the machine, through V4L2.
///
/// The initializer encodes one gray frame, because a track needs parameter sets before its first frame, and only an
/// encoded stream contains them. If the driver can do it, the device reads frames in a camera's dma-bufs
/// (`FrameTransfer`). Other frames are copied into the driver's buffers. `encode` waits while the encoder cannot accept
/// another frame, and returns packets of earlier frames. With `holdsNothing`, `encode` waits for the packet of its own
/// frame. There are no B-frames. If the device fails, the frames that it holds are lost (`lostFrames`), and the next
/// frame becomes a keyframe.
package final class HardwareH264Encoder: VideoEncoder {
    package let format: VideoFormat
    package let timeScale: Int32
    package let input: EncoderInput
    package let threadCount = 0
    package let efforts: [EncoderEffort] = [.full]

    /// The time of a track's first frame, in microseconds. The gray frame has an earlier time.
    private static let firstTime: Int64 = 2_000_000

    private let name: String
    private let description: FormatDescription
    private let encoder: StatefulEncoder
    private var converter: AnnexBConverter
    private let keyframeInterval: Int64
    private let nominalDuration: MediaTime
    /// The frames that were lost before the first frame of the track.
    private let lostBefore: Int64
    private var firstTicks: Int64?
    private var lastTicks = Int64.min
    /// The time of the latest keyframe, either requested or returned.
    private var lastKeyframe: Int64?
    private var isFinished = false

    /// Opens an encoder.
    ///
    /// - Parameters:
    ///   - path: The encoder's node; nil for the first one that encodes H.264.
    ///   - settings: The encoder's settings; `width` and `height` must be set, and the rate control be a bit rate.
    ///   - color: The color tags of the frames.
    ///   - holdsNothing: True to return every frame's packet before the next frame is encoded, if the encoder allows
    ///     it.
    /// - Throws: `notFound` without an encoder; `invalidSettings`; the errors of `EncoderNode` and `V4L2EncoderQueues`.
    package convenience init(
        path: String?, settings: VideoSettings, color: ColorDescription, timeScale: Int32, holdsNothing: Bool
    ) throws(MediaError) {
        let node = try EncoderDiscovery.open(path, coded: CV4L2_PIX_H264)
        let setup = try Self.setup(settings, color: color)
        let queues = try V4L2EncoderQueues(node, setup)
        try self.init(
            queues, layout: queues.layout, settings: settings, color: color, timeScale: timeScale,
            holdsNothing: holdsNothing)
    }

    /// - Parameters:
    ///   - queues: The encoder's device, set up for the settings.
    ///   - layout: The layout of the frames that it accepts.
    ///   - clock: The clock that limits the waits for the device.
    init(
        _ queues: any EncoderQueues, layout: PixelFormat, settings: VideoSettings, color: ColorDescription,
        timeScale: Int32, holdsNothing: Bool, clock: any HostClock = MonotonicClock()
    ) throws(MediaError) {
        let (width, height) = (settings.width ?? 0, settings.height ?? 0)
        let encoder = StatefulEncoder(
            queues, holdsNothing: holdsNothing, clock: clock, inspect: H264Inspection.content)
        var converter = AnnexBConverter()
        func take(_ result: StatefulEncoder.Output) throws(MediaError) {
            switch result {
            case .header(let bytes), .packet(let bytes, _, _): _ = converter.convert(bytes)
            }
        }
        let gray = Self.grayFrame(layout, width: width, height: height, color: color)
        try encoder.encode(gray, microseconds: 1_000_000, ticks: 0, isKeyframe: true, output: take)
        try encoder.finish(output: take)
        // If there is no packet, the device's failure is the cause.
        if converter.decoderConfiguration.isEmpty, let fault = encoder.latestFault { throw fault }
        try Self.check(converter, queues.name, width: width, height: height)
        name = queues.name
        self.encoder = encoder
        self.converter = converter
        self.timeScale = timeScale
        input = EncoderInput(bitDepth: 8, layout: layout)
        lostBefore = encoder.lostFrames
        keyframeInterval = max(1, settings.keyframeInterval.ticks(in: timeScale))
        nominalDuration = MediaTime(
            seconds: 1 / max(settings.expectedFrameRate ?? 30, 0.001), timescale: timeScale)
        var format = VideoFormat(
            codec: .h264, width: width, height: height, color: color, pixelAspectRatio: settings.pixelAspectRatio,
            cleanAperture: settings.cleanAperture)
        format.decoderConfiguration = converter.decoderConfiguration
        format.masteringDisplay = settings.masteringDisplay
        format.contentLight = settings.contentLight
        format.chromaPosition = settings.chromaPosition
        self.format = format
        description = .video(format)
    }

    package var lostFrames: Int64 { encoder.lostFrames - lostBefore }

    package var latestFault: MediaError? { encoder.latestFault }

    package var copyReason: MediaError? { encoder.copyReason }

    package func ease(to effort: EncoderEffort) -> Bool { false }

    package func encode(
        _ pixels: PixelBuffer, at time: MediaTime, asKeyframe isKeyframe: Bool, output: (SampleBuffer) -> Void
    ) throws(MediaError) {
        guard !isFinished else {
            throw MediaError(.invalidState, "cannot encode a frame", reason: "the encoder is finished")
        }
        let ticks = try checkedTicks(of: pixels, at: time, after: lastTicks)
        lastTicks = ticks
        let first = firstTicks ?? ticks
        firstTicks = first
        let passed = MediaTime(value: ticks &- first, timescale: timeScale).ticks(in: 1_000_000)
        // An encoder may measure the interval in frames instead of time, or may not support an interval at all.
        let isDue = lastKeyframe.map { ticks &- $0 >= keyframeInterval } ?? true
        if isKeyframe || isDue { lastKeyframe = ticks }
        try encoder.encode(
            pixels, microseconds: Self.firstTime &+ passed, ticks: ticks, isKeyframe: isKeyframe || isDue
        ) { (result: StatefulEncoder.Output) throws(MediaError) in try accept(result, output) }
    }

    package func finish(output: (SampleBuffer) -> Void) throws(MediaError) {
        guard !isFinished else { return }
        isFinished = true
        try encoder.finish { (result: StatefulEncoder.Output) throws(MediaError) in try accept(result, output) }
    }

    private func accept(_ result: StatefulEncoder.Output, _ output: (SampleBuffer) -> Void) throws(MediaError) {
        switch result {
        case .header(let bytes):
            _ = converter.convert(bytes)
            try checkConfiguration()
        case .packet(let bytes, let ticks, let isKeyframe):
            let converted = converter.convert(bytes)
            try checkConfiguration()
            guard let frame = converted else { return }
            if isKeyframe { lastKeyframe = max(lastKeyframe ?? ticks, ticks) }
            let time = MediaTime(value: ticks, timescale: timeScale)
            output(
                SampleBuffer(
                    format: description, content: .data(frame.data), presentationTime: time, decodeTime: time,
                    duration: nominalDuration, isKeyframe: isKeyframe))
        }
    }

    /// One decoder configuration applies to the entire track.
    private func checkConfiguration() throws(MediaError) {
        guard converter.decoderConfiguration != format.decoderConfiguration else { return }
        throw MediaError(
            .codecFailure, "cannot continue encoding with \(name)", reason: "its parameter sets changed",
            wayOut: "write --encoder x264, and send the output of `recorder doctor --report`")
    }

    private static func setup(_ settings: VideoSettings, color: ColorDescription) throws(MediaError) -> EncoderSetup {
        let action = "cannot open a hardware encoder"
        guard settings.codec == .h264, VideoEncoderRules.bitDepth(settings) == 8, settings.fieldOrder == nil else {
            throw MediaError(.invalidSettings, action, reason: "only progressive H.264 of eight bits is supported")
        }
        guard case .bitRate(let rate) = settings.rateControl else {
            throw MediaError(
                .invalidSettings, action, reason: "it needs a bit rate", wayOut: "write --bit-rate, e.g. 6M")
        }
        guard let width = settings.width, let height = settings.height, width > 0, height > 0 else {
            throw MediaError(.invalidSettings, action, reason: "no frame size was given")
        }
        let frameRate = max(settings.expectedFrameRate ?? 30, 0.001)
        let interval = (settings.keyframeInterval.seconds * frameRate).rounded()
        return EncoderSetup(
            coded: CV4L2_PIX_H264, width: width, height: height, color: color, frameRate: frameRate, bitRate: rate,
            keyframeInterval: interval.isFinite ? Int(min(max(interval, 1), 65_535)) : 60)
    }

    private static func check(
        _ converter: AnnexBConverter, _ name: String, width: Int, height: Int
    ) throws(MediaError) {
        let action = "cannot encode with \(name)"
        let wayOut = "write --encoder x264, and send the output of `recorder doctor --report`"
        guard !converter.decoderConfiguration.isEmpty, let size = converter.frameSize else {
            throw MediaError(
                .codecFailure, action, reason: "it returned no parameter sets for a first frame", wayOut: wayOut)
        }
        guard size.width == width, size.height == height else {
            throw MediaError(
                .deviceUnsuitable, action,
                reason: "its frames are \(size.width)×\(size.height) instead of \(width)×\(height)", wayOut: wayOut)
        }
    }

    private static func grayFrame(
        _ layout: PixelFormat, width: Int, height: Int, color: ColorDescription
    ) -> PixelBuffer {
        let layout = PixelLayout(format: layout, width: width, height: height)
        let data = MediaData(byteCount: layout.byteCount) { $0.initializeMemory(as: UInt8.self, repeating: 128) }
        return PixelBuffer(layout: layout, color: color, data: data)
    }
}

/// Finds out what a buffer of H.264 with start codes contains.
enum H264Inspection {
    /// Returns the contents: a frame if there is a slice (nal_unit_type 1 or 5), else a header (ITU-T H.264, table 7-1).
    static func content(_ bytes: UnsafeRawBufferPointer) -> StatefulEncoderState.Content {
        guard let first = bytes.firstIndex(where: { $0 != 0 }), first >= 2, bytes[first] == 1 else { return .invalid }
        var content = StatefulEncoderState.Content.invalid
        AnnexB.forEachUnit(bytes) { unit in
            switch (unit[0] & 0x1F, content) {
            case (5, _): content = .frame(isKeyframe: true)
            case (1, .invalid), (1, .header): content = .frame(isKeyframe: false)
            case (6...12, .invalid): content = .header
            default: break
            }
        }
        return content
    }
}
