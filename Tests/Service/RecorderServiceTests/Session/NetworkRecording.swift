import Demuxing
import FakeNetworkDevices
import MediaTypes
import Testing

@testable import RecorderControl
@testable import RecorderService
@testable import RecorderStorage

/// Recordings of a network camera in software: real sockets, clock and files.
enum NetworkRecording {
    /// Returns a process that records two seconds to `take.mov`, unless `change` says otherwise.
    static func process(
        _ server: FakeNetworkCamera, in directory: String, _ change: (inout RecordingConfiguration) -> Void = { _ in }
    ) throws -> CaptureProcess {
        var configuration = RecordingConfiguration()
        configuration.camera = .network(try NetworkCameraAddress(parsing: server.url))
        configuration.microphone = .ofCamera(isRequired: false)
        configuration.video = .passthrough
        configuration.output = directory + "/take.mov"
        configuration.duration = MediaTime(value: 2, timescale: 1)
        configuration.diskReserve = 0
        change(&configuration)
        var foundations = SessionFoundations()
        foundations.memory = .none
        return CaptureProcess(
            configuration: configuration, opener: DeviceOpener(), log: LogLines().logger, foundations: foundations)
    }

    /// Records to the end.
    static func record(
        _ server: FakeNetworkCamera, in directory: String, _ change: (inout RecordingConfiguration) -> Void = { _ in }
    ) async throws -> SessionOutcome {
        let recorder = try process(server, in: directory, change)
        return await recorder.run { _ in }
    }
}

/// The packets of a file, in decode order.
struct StoredPackets {
    private(set) var frames: [[UInt8]] = []
    private(set) var times: [MediaTime] = []
    private(set) var decodeTimes: [MediaTime] = []
    private(set) var audio: [[UInt8]] = []
    private(set) var audioTimes: [MediaTime] = []

    init(_ path: String) throws {
        let demuxer = try MovieDemuxer(path: path)
        while let packet = try demuxer.next() {
            guard case .data(let data) = packet.sample.content else { continue }
            switch packet.sample.format.mediaType {
            case .video:
                frames.append(Array(data.bytes))
                times.append(packet.sample.presentationTime)
                decodeTimes.append(packet.sample.decodeTime ?? packet.sample.presentationTime)
            case .audio:
                audio.append(Array(data.bytes))
                audioTimes.append(packet.sample.presentationTime)
            default: break
            }
        }
    }

    /// Checks the order of the frames against that of the camera.
    ///
    /// - Parameter first: the number of the file's first frame in the script.
    func expectOrder(of script: CameraScript, from first: Int = 0) {
        let sent = script.frames.dropFirst(first).prefix(frames.count)
        #expect(frames == sent.map(\.stored))
        #expect(zip(decodeTimes, decodeTimes.dropFirst()).allSatisfy { $0 < $1 })
        #expect(zip(times, decodeTimes).allSatisfy { $0 >= $1 })
        let shown = sent.map(\.shown)
        guard shown.count == times.count, let start = shown.min(), let earliest = times.min() else { return }
        #expect(
            times.indices.sorted { times[$0] < times[$1] } == shown.indices.sorted { shown[$0] < shown[$1] })
        #expect(abs(earliest.seconds) < 0.001)
        // The clock starts, so single distances are corrected.
        for (time, number) in zip(times, shown) {
            #expect(abs(time.seconds - Double(number - start) * 0.02) < 0.25)
        }
    }
}
