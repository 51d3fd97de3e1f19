import MediaTypes

@testable import NetworkCapture
@testable import RTSP

/// One stream, and everything that results from its packets. Time is virtual.
struct ReceptionRun {
    var reception: CameraReception
    var output: [ReceptionOutput] = []
    private let clockRate: Int64
    private var sequence: UInt16 = 0
    private var arrival: Int64 = 0

    init(
        _ format: PayloadFormat, _ kind: MediaDescription.Kind, keepsOpus: Bool = false, keyframeInterval: Int64? = nil
    ) throws {
        let stream = SessionStream(
            description: MediaDescription(kind: kind, formats: [format]), format: format,
            transport: .interleaved(rtp: 0, rtcp: 1))
        reception = try CameraReception(
            [stream], mostDelay: 0, source: 1, keepsOpus: keepsOpus, keyframeInterval: keyframeInterval)
        clockRate = Int64(format.clockRate)
    }

    /// Receives the next packet at its RTP time, after `lost` missing ones.
    mutating func add(_ payload: [UInt8], time: UInt32, marker: Bool = true, lost: UInt16 = 0) {
        // A frame that is shown before earlier ones arrives after them.
        arrival = max(arrival, 1_000_000_000 + Int64(time) * 1_000_000_000 / clockRate)
        read(payload, time: time, marker: marker, lost: lost, at: arrival)
        place()
    }

    /// Places the samples of all packets that were read.
    mutating func place() { reception.deliver(&output) }

    /// Receives the next packet at a time of the monotonic clock, without placing its samples yet.
    mutating func read(
        _ payload: [UInt8], time: UInt32, marker: Bool = true, lost: UInt16 = 0, at arrival: Int64
    ) {
        sequence += 1 + lost
        let head: [UInt8] = [0x80, marker ? 0xE0 : 0x60, UInt8(sequence >> 8), UInt8(sequence & 0xFF)]
        let times = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: time >> UInt32($0)) }
        reception.receive(
            head + times + [1, 2, 3, 4] + payload, stream: 0, isControl: false, at: arrival, wall: 0)
    }

    var samples: [SampleBuffer] {
        output.compactMap { if case .sample(let sample) = $0 { sample } else { nil } }
    }
    var notices: [String] { output.compactMap { if case .notice(let text) = $0 { text } else { nil } } }
    /// The numbers of the delivered frames at 25 frames a second; the last byte of each is its number.
    var numbers: [Int] {
        samples.map { sample in
            guard case .data(let data) = sample.content, let last = data.bytes.last else { return -1 }
            return Int(last)
        }
    }
    /// True if decode times increase, and no frame is shown before it is decoded.
    var isInOrder: Bool {
        let decoded = samples.map { $0.decodeTime ?? $0.presentationTime }
        return zip(decoded, decoded.dropFirst()).allSatisfy { $0 < $1 }
            && zip(samples, decoded).allSatisfy { $0.presentationTime >= $1 }
    }
    var sampleCount: Int { output.filter { if case .sample = $0 { true } else { false } }.count }
    var lost: Int64 {
        output.reduce(0) { if case .lost(_, let count, _, _) = $1 { $0 + count } else { $0 } }
    }

    /// The parameter sets of x264 at two B-frames in a row with a pyramid, without and with a statement of the order.
    static let silentSets = "Z0IAHvQKDMg=,aOvjyyLA"
    static let mainSets = "Z00AHvQKDMg=,aOvjyyLA"
    static let statedSets = "Z2QAHqzZQKAv+XARAAADAAYAAAMBZg8WLZY=,aOvjyyLA"

    static func h264(_ sets: String, keyframeInterval: Int64? = nil) throws -> ReceptionRun {
        try ReceptionRun(
            PayloadFormat(
                payloadType: 96, encoding: "H264", clockRate: 90_000,
                parameters: FormatParameters("packetization-mode=1;sprop-parameter-sets=\(sets)")), .video,
            keyframeInterval: keyframeInterval)
    }

    static func hevc() throws -> ReceptionRun {
        let parameters =
            "sprop-vps=QAEMAQ==;sprop-sps=QgEBAWAAAAMAkAAAAwAAAwA8oAoIDBZZWaSTK8BaAgAAAwACAAADADIQ;sprop-pps=RAHBcg=="
        return try ReceptionRun(
            PayloadFormat(
                payloadType: 96, encoding: "H265", clockRate: 90_000, parameters: FormatParameters(parameters[...])),
            .video)
    }
}
