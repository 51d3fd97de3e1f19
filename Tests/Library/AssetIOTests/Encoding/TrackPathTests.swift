import Glibc
import MediaTypes
import RealTime
import Testing

@testable import AssetIO

/// Tests of packets that pass through without a thread of their own.
@Suite struct TrackPathTests {
    /// A sink that accepts `room` packets.
    private final class Sink: PacketSink {
        struct State {
            /// The track's, which asks this sink for room.
            weak var admission: SharedAdmission?
            var room = Int.max
            var times: [Int64] = []
            var threads: Set<UInt> = []
            var ends = 0
        }
        let state = Locked(State())

        var hasRoom: Bool { state.withLock { $0.room > 0 } }

        func accept(_ packet: SampleBuffer, accountsFor count: Int64) {
            let admission = state.withLock { state in
                state.room -= 1
                state.times.append(packet.presentationTime.ticks(in: 1000))
                state.threads.insert(UInt(pthread_self()))
                return state.admission
            }
            admission?.recordPushed(count)
        }

        func end(at end: MediaTime?) { state.withLock { $0.ends += 1 } }
        func makeRoom(_ count: Int) { state.withLock { $0.room = count } }
        var times: [Int64] { state.withLock { $0.times } }
        var ends: Int { state.withLock { $0.ends } }
    }

    private static let format: FormatDescription = {
        var format = VideoFormat(codec: .h264, width: 2, height: 2)
        format.decoderConfiguration = [1]
        return .video(format)
    }()

    private func packet(_ milliseconds: Int64) -> SampleBuffer {
        SampleBuffer(
            format: Self.format, content: .data(MediaData([UInt8](repeating: 0, count: 10))),
            presentationTime: MediaTime(value: milliseconds, timescale: 1000), isKeyframe: true)
    }

    private func start(_ sink: Sink, isRealTime: Bool = true) throws -> TrackPath {
        let admission = SharedAdmission(
            TrackTraits(mediaType: .video, isRealTime: isRealTime, isPassthrough: true, hint: Self.format),
            sinkHasRoom: { sink.hasRoom })
        sink.state.withLock { $0.admission = admission }
        let path = TrackPath(
            admission, encoder: PassthroughTrackEncoder(hint: Self.format, timeScale: 600), sink: sink)
        admission.open(sessionStart: .zero)
        try path.start { _ in }
        return path
    }

    @Test func trackPath_packetAppended_isDeliveredOnTheSameThread() throws {
        let sink = Sink()
        let path = try start(sink)
        for time in [0, 33, 66] as [Int64] {
            #expect(try path.append(packet(time)))
            #expect(sink.times.last == time)
        }
        #expect(sink.state.withLock { $0.threads } == [UInt(pthread_self())] && path.admission.queueDepth == 0)
    }

    @Test func livePacket_noRoom_isDroppedWithCauseDisk() throws {
        let sink = Sink()
        let path = try start(sink)
        sink.makeRoom(3)
        var taken = 0
        for time in stride(from: 0, to: 2000, by: 100) as StrideTo<Int64> where try path.append(packet(time)) {
            taken += 1
        }
        #expect(sink.times == [0, 100, 200] && taken == 3 && path.admission.queueDepth == 0)
        #expect(path.admission.ledger[dropped: .disk] == 17 && path.admission.readiness.value == .notReady)
        sink.makeRoom(.max)
        path.admission.updateReadiness()
        #expect(path.admission.readiness.value == .ready)
        #expect(try path.append(packet(2000)))
        #expect(sink.times == [0, 100, 200, 2000] && path.admission.ledger.captured == 21)
    }

    @Test func pullInput_noRoom_isNotReady() async throws {
        let sink = Sink()
        let path = try start(sink, isRealTime: false)
        sink.makeRoom(1)
        #expect(try path.append(packet(0)))
        #expect(try !path.append(packet(33)))
        #expect(path.admission.ledger.captured == 1 && path.admission.ledger.droppedInAll == 0)
        let waits = Task { try await path.appendWhenReady(packet(33)) }
        sink.makeRoom(.max)
        path.admission.updateReadiness()
        try await waits.value
        #expect(sink.times == [0, 33])
    }

    /// Another track may use up the room between the two calls.
    @Test(arguments: [true, false]) func trackPath_reportedReady_acceptsOnePacket(isRealTime: Bool) throws {
        let sink = Sink()
        let path = try start(sink, isRealTime: isRealTime)
        #expect(path.admission.readiness.value == .ready)
        sink.makeRoom(0)
        path.admission.updateReadiness()
        #expect(path.admission.readiness.value == .ready)
        #expect(try path.append(packet(0)))
        #expect(path.admission.readiness.value == .notReady)
        #expect(try !path.append(packet(33)))
        sink.makeRoom(1)
        path.admission.updateReadiness()
        #expect(try path.append(packet(66)) && sink.times == [0, 66])
    }

    /// Failed and cancelled tracks end once too.
    @Test(arguments: ["finished", "failed", "cancelled"]) func trackPath_anyEnd_endsTheTrackOnce(_ end: String) throws {
        let sink = Sink()
        let path = try start(sink)
        for time in [0, 33, 66] as [Int64] { #expect(try path.append(packet(time))) }
        for _ in 0..<2 {
            switch end {
            case "finished": path.markAsFinished()
            case "failed":
                path.fail(
                    .disk, error: MediaError(.ioFailure, "cannot write", reason: "test"), isFileLost: true)
            default: path.cancel()
            }
        }
        #expect(sink.ends == 1 && sink.times == [0, 33, 66])
    }

    @Test func trackPath_roomMadeByOtherThreads_keepsOrderAndEveryPacket() throws {
        let sink = Sink()
        let path = try start(sink)
        sink.makeRoom(0)
        // One thread appends; the others make room and look again, as the file's thread does.
        let looking = try (0..<3).map { number in
            try NamedThread("look-\(number)") {
                while sink.ends == 0 {
                    sink.makeRoom(3)
                    path.admission.updateReadiness()
                }
            }
        }
        var taken: [Int64] = []
        for time in 0..<5000 as Range<Int64> where try path.append(packet(time)) { taken.append(time) }
        path.markAsFinished()
        for thread in looking { thread.join() }
        #expect(sink.times == taken && sink.ends == 1)
        #expect(path.admission.ledger[dropped: .disk] == Int64(5000 - taken.count))
    }
}
