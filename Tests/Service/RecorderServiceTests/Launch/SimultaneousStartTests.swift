import CommandInterface
import MediaTypes
import RealTime
import Testing

@testable import RecorderControl
@testable import RecorderService
@testable import RecorderStorage

/// Starts of several recordings at the same instant: all begin, or none does.
struct SimultaneousStartTests {
    private final class World: Sendable {
        struct State: Sendable {
            var statuses: [String: RecordingStatus] = [:]
            var refusesLaunch: Set<String> = []
            var refusesRecord: Set<String> = []
            var launched: Set<String> = []
            var instants: [String: MediaTime] = [:]
            var ended: [String: Bool] = [:]
        }

        let state = Locked(State())

        var means: SimultaneousStart.Means {
            let state = state
            return SimultaneousStart.Means(
                status: { name in state.withLock { $0.statuses["\(name)"] } },
                launch: { name throws(StartError) in
                    let isRefused = state.withLock { state in
                        state.launched.insert("\(name)")
                        return state.refusesLaunch.contains("\(name)")
                    }
                    if isRefused {
                        throw StartError(
                            RecordingFailure(.devices, MediaError(.deviceLost, "no \(name)", reason: "gone")))
                    }
                },
                record: { name, instant throws(MediaError) in
                    if state.withLock({ $0.refusesRecord.contains("\(name)") }) {
                        throw MediaError(.diskFull, "cannot begin \(name)", reason: "full")
                    }
                    state.withLock { $0.instants["\(name)"] = instant }
                    return RecordingStatus(name: "\(name)", state: .recording)
                },
                end: { name, isLaunched in state.withLock { $0.ended["\(name)"] = isLaunched } })
        }

        func arm(_ name: String, preRoll: Double? = nil, state: RecordingStatus.State = .armed) {
            var status = RecordingStatus(name: name, state: state)
            status.preRoll = preRoll.map { .init(duration: $0, bytes: 1) }
            self.state.withLock { [status] in $0.statuses[name] = status }
        }

        func begin(_ names: String..., asManyAsCan: Bool = false) async throws -> SimultaneousStart.Outcome {
            let start = SimultaneousStart(
                means, asManyAsCan: asManyAsCan, clock: ManualClock(nanoseconds: 100_000_000_000))
            return await start.begin(try names.map { try RecordingName(parsing: $0) })
        }

        var instants: [String: MediaTime] { state.withLock { $0.instants } }
        var ended: [String: Bool] { state.withLock { $0.ended } }
        var launched: Set<String> { state.withLock { $0.launched } }
    }

    @Test func begin_allArmed_useTheEarliestInstantThatAllKeep() async throws {
        let world = World()
        world.arm("left", preRoll: 9.5)
        world.arm("right", preRoll: 4)
        let outcome = try await world.begin("left", "right")
        #expect(outcome.begun.map(\.name) == ["left", "right"] && outcome.failures.isEmpty)
        #expect(
            world.instants == ["left": MediaTime(value: 96, timescale: 1), "right": MediaTime(value: 96, timescale: 1)])
        #expect(world.launched.isEmpty)
    }

    @Test func begin_oneNotRunning_launchesItAndStartsNow() async throws {
        let world = World()
        world.arm("left", preRoll: 9.5)
        let outcome = try await world.begin("left", "right")
        #expect(outcome.begun.count == 2 && world.launched == ["right"])
        #expect(Set(world.instants.values) == [MediaTime(value: 100, timescale: 1)])
    }

    @Test func begin_oneCannotLaunch_startsNoneAndKeepsArmed() async throws {
        let world = World()
        world.arm("left")
        world.state.withLock { $0.refusesLaunch = ["right"] }
        let outcome = try await world.begin("left", "middle", "right")
        #expect(outcome.begun.isEmpty && world.instants.isEmpty)
        #expect(outcome.failures.map(\.name.description) == ["right"])
        #expect(world.ended == ["middle": true])
        #expect(outcome.failures[0].error.description.contains("no right"))
    }

    @Test func begin_oneAlreadyRecording_failsWithAFix() async throws {
        let world = World()
        world.arm("left", state: .recording)
        world.arm("right")
        let outcome = try await world.begin("left", "right")
        #expect(outcome.begun.isEmpty)
        #expect(outcome.failures.first?.error.description.contains("recorder stop left") == true)
        #expect(world.ended.isEmpty)
    }

    @Test func begin_oneFailsToRecord_endsTheOthers() async throws {
        let world = World()
        for name in ["left", "right"] { world.arm(name) }
        world.state.withLock { $0.refusesRecord = ["right"] }
        let outcome = try await world.begin("left", "middle", "right")
        #expect(outcome.begun.isEmpty && outcome.failures.map(\.name.description) == ["right"])
        #expect(world.ended == ["left": false, "middle": true])
    }

    @Test func begin_asManyAsCan_startsThoseThatCan() async throws {
        let world = World()
        for name in ["left", "right"] { world.arm(name) }
        world.state.withLock { state in
            state.refusesRecord = ["right"]
            state.refusesLaunch = ["middle"]
        }
        let outcome = try await world.begin("left", "middle", "right", asManyAsCan: true)
        #expect(outcome.begun.map(\.name) == ["left"])
        #expect(outcome.failures.map(\.name.description) == ["middle", "right"])
        #expect(world.ended.isEmpty)
    }
}
