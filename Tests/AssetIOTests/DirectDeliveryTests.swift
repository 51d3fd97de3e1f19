import Glibc
import MediaTypes
import MovieFile
import RealTime
import Testing

@testable import AssetIO

/// Packets of a live track that pass through without a thread of their own.
@Suite struct DirectDeliveryTests {
    /// Takes so many packets and has no room for more.
    private final class Receiver: PacketReceiver {
        struct State {
            var room = Int.max
            var times: [Int64] = []
            var threads: Set<UInt> = []
            var ends = 0
        }
        let state = Locked(State())

        var hasRoom: Bool { state.withLock { $0.room > 0 } }

        func push(_ packet: TrackSample, mayWait: Bool, waiting: (Bool) -> Void) {
            state.withLock { state in
                state.room -= 1
                state.times.append(packet.sample.presentationTime.ticks(in: 1000))
                state.threads.insert(UInt(pthread_self()))
            }
        }

        func endTrack(_ index: Int) { state.withLock { $0.ends += 1 } }
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
            presentationTime: MediaTime(value: milliseconds, timescale: 1000), isKeyFrame: true)
    }

    private func start(_ receiver: Receiver, milliseconds: Int64 = 1000) -> (TrackCore, DirectDelivery) {
        let core = TrackCore(
            TrackTraits(
                mediaType: .video, isRealTime: true, isPassthrough: true, hint: Self.format,
                budget: RealTimeBudget(duration: MediaTime(value: milliseconds, timescale: 1000))))
        let stage = EncodingStage(
            index: 0, encoding: PassthroughTrackEncoding(hint: Self.format, timeScale: 600), core: core,
            packets: receiver, mayWait: false)
        let delivery = DirectDelivery(stage, core: core, packets: receiver)
        core.open(sessionStart: .zero)
        delivery.start { _ in }
        return (core, delivery)
    }

    @Test func aPacketIsDeliveredByTheThreadThatAppendsIt() throws {
        let receiver = Receiver()
        let (core, _) = start(receiver)
        for time in [0, 33, 66] as [Int64] {
            #expect(try core.append(packet(time)))
            #expect(receiver.times.last == time)
        }
        #expect(receiver.state.withLock { $0.threads } == [UInt(pthread_self())] && core.queueDepth == 0)
    }

    @Test func withoutRoomPacketsWaitAndThenTheDiskIsTheCause() throws {
        let receiver = Receiver()
        let (core, delivery) = start(receiver)
        receiver.makeRoom(1)
        var taken = 0
        for time in stride(from: 0, to: 2000, by: 100) as StrideTo<Int64> where try core.append(packet(time)) {
            taken += 1
        }
        #expect(receiver.times == [0] && taken == 12 && core.queueDepth == 11)
        #expect(core.ledger[dropped: .disk] == 8)

        receiver.makeRoom(5)
        delivery.lookAgain()
        #expect(receiver.times == [0, 100, 200, 300, 400, 500])
        receiver.makeRoom(.max)
        delivery.lookAgain()
        #expect(try core.append(packet(2000)))
        #expect(receiver.times == Array(stride(from: 0, through: 1100, by: 100)) + [2000] && core.queueDepth == 0)
    }

    /// Also where the last packets wait for room at that moment; and whoever fails or is cancelled ends too.
    @Test(arguments: ["finished", "failed", "cancelled"]) func theTrackEndsOnceWithItsLastPacket(_ end: String) throws {
        let receiver = Receiver()
        let (core, delivery) = start(receiver)
        receiver.makeRoom(1)
        for time in [0, 33, 66] as [Int64] { #expect(try core.append(packet(time))) }
        switch end {
        case "finished": core.markAsFinished()
        case "failed":
            core.close(
                .disk, error: MediaError(.ioFailure, "cannot write", reason: "test"), isFileLost: true)
        default: core.cancel()
        }
        #expect(receiver.ends == (end == "finished" ? 0 : 1))
        receiver.makeRoom(.max)
        delivery.lookAgain()
        delivery.lookAgain()
        #expect(receiver.ends == 1 && receiver.times == (end == "finished" ? [0, 33, 66] : [0]))
    }

    @Test func whatIsAppendedByManyThreadsAtOnceComesOutInOrderAndWhole() throws {
        let receiver = Receiver()
        let (core, delivery) = start(receiver)
        receiver.makeRoom(0)
        // One appends, others make room and look, as the file's thread does.
        let looking = try (0..<3).map { number in
            try NamedThread("look-\(number)") {
                while receiver.ends == 0 {
                    receiver.makeRoom(3)
                    delivery.lookAgain()
                }
            }
        }
        var taken: [Int64] = []
        for time in 0..<5000 as Range<Int64> where try core.append(packet(time)) { taken.append(time) }
        core.markAsFinished()
        for thread in looking { thread.join() }
        #expect(receiver.times == taken && receiver.ends == 1)
    }
}
