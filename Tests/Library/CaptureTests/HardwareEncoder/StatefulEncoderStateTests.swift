import Testing

@testable import Capture

/// The rules of a stateful encoder, without a device.
@Suite struct StatefulEncoderStateTests {
    private typealias State = StatefulEncoderState
    private typealias Returned = StatefulEncoderState.Returned

    /// Returns a running encoder whose packet buffers the driver has.
    private func running(frames: Int = 4, packets: Int = 4) -> State {
        var state = State(frameBuffers: frames, packetBuffers: packets)
        state.start()
        giveBuffers(&state)
        return state
    }

    private func giveBuffers(_ state: inout State) {
        while let index = state.freePacketBuffer { state.recordQueuedPacketBuffer(index) }
    }

    /// Queues a frame whose time in ticks and whose timestamp are equal.
    private func queue(_ time: Int64, _ state: inout State) throws {
        let index = try #require(state.freeFrameBuffer)
        state.recordQueuedFrame(index, stamp: state.stamp(for: time), ticks: time)
    }

    private func answer(
        _ state: inout State, index: Int = 0, stamp: Int64, _ content: State.Content, isLast: Bool = false,
        isCorrupt: Bool = false
    ) -> State.Decision {
        let decision = state.recordReturnedPacket(
            Returned(index: index, stamp: stamp, content: content, isLast: isLast, isCorrupt: isCorrupt))
        giveBuffers(&state)
        return decision
    }

    @Test func packets_inOrder_haveTheTimesOfTheirFrames() throws {
        var state = running()
        for time in [10, 20, 30] as [Int64] { try queue(time, &state) }
        for (time, isKeyframe) in [(10, true), (20, false), (30, false)] as [(Int64, Bool)] {
            let decision = answer(&state, stamp: time, .frame(isKeyframe: isKeyframe))
            #expect(decision == .packet(ticks: time, isKeyframe: isKeyframe))
        }
        #expect(state.lostFrames == 0 && state.heldFrames == 0 && state.packetCount == 3)
    }

    @Test func frameBuffers_allWithTheDriver_noneIsFreeUntilOneReturns() throws {
        var state = running(frames: 2)
        try queue(1, &state)
        try queue(2, &state)
        #expect(state.freeFrameBuffer == nil)
        let violation = state.recordReturnedFrame(1)
        #expect(violation == nil && state.freeFrameBuffer == 1)
        let again = state.recordReturnedFrame(1)
        #expect(again == .foreignBuffer)
        let unknown = state.recordReturnedFrame(7)
        #expect(unknown == .foreignBuffer)
    }

    @Test func stamps_equalOrEarlierTimes_stillIncrease() throws {
        var state = running()
        try queue(100, &state)
        #expect(state.stamp(for: 100) == 101)
        #expect(state.stamp(for: -5) == 101)
        #expect(state.stamp(for: 500) == 500)
    }

    @Test func packet_emptyOne_losesItsFrameOnly() throws {
        var state = running()
        for time in [1, 2] as [Int64] { try queue(time, &state) }
        let skipped = answer(&state, stamp: 1, .nothing)
        #expect(skipped == .nothing && state.lostFrames == 1)
        let next = answer(&state, stamp: 2, .frame(isKeyframe: true))
        #expect(next == .packet(ticks: 2, isKeyframe: true) && state.lostFrames == 1)
    }

    @Test func packet_emptyAfterThatOfItsFrame_takesNothing() throws {
        var state = running()
        for time in [1, 2] as [Int64] { try queue(time, &state) }
        _ = answer(&state, stamp: 1, .frame(isKeyframe: true))
        for _ in 0..<2 {
            let empty = answer(&state, stamp: 1, .nothing)
            #expect(empty == .nothing && state.heldFrames == 1 && state.lostFrames == 0)
        }
        let next = answer(&state, stamp: 2, .frame(isKeyframe: false))
        #expect(next == .packet(ticks: 2, isKeyframe: false) && state.lostFrames == 0)
    }

    @Test func packet_emptyBeforeThatOfAnEarlierFrame_losesBothAndRestarts() throws {
        var state = running()
        for time in [1, 2, 3] as [Int64] { try queue(time, &state) }
        let empty = answer(&state, stamp: 2, .nothing)
        #expect(empty == .nothing && state.lostFrames == 2 && state.heldFrames == 1)
        let late = answer(&state, stamp: 1, .frame(isKeyframe: true))
        #expect(late == .restart(.reordered))
        state.stop()
        #expect(state.lostFrames == 3)
    }

    @Test func packet_earlierOneMissing_isCountedAsLost() throws {
        var state = running()
        for time in [1, 2, 3] as [Int64] { try queue(time, &state) }
        let decision = answer(&state, stamp: 3, .frame(isKeyframe: true))
        #expect(decision == .packet(ticks: 3, isKeyframe: true) && state.lostFrames == 2 && state.heldFrames == 0)
    }

    @Test func packet_againOrEarlier_restarts() throws {
        var state = running()
        for time in [1, 2, 3] as [Int64] { try queue(time, &state) }
        _ = answer(&state, stamp: 2, .frame(isKeyframe: true))
        let twice = answer(&state, stamp: 2, .frame(isKeyframe: false))
        #expect(twice == .restart(.doubled))
        let earlier = answer(&state, stamp: 1, .frame(isKeyframe: false))
        #expect(earlier == .restart(.reordered))
        #expect(state.lostFrames == 1 && state.heldFrames == 1)
        state.stop()
        #expect(state.lostFrames == 2 && state.heldFrames == 0)
    }

    @Test func packet_damagedOrNoPacket_restartsAndCountsOnce() throws {
        for (content, isCorrupt, violation) in [
            (.frame(isKeyframe: true), true, .corrupt), (.nothing, true, .corrupt), (.invalid, false, .invalid),
        ] as [(State.Content, Bool, State.Violation)] {
            var state = running()
            for time in [1, 2] as [Int64] { try queue(time, &state) }
            let decision = answer(&state, stamp: 1, content, isCorrupt: isCorrupt)
            #expect(decision == .restart(violation))
            state.stop()
            #expect(state.lostFrames == 2)
        }
    }

    @Test func packet_bufferThatTheDriverDoesNotHave_restarts() throws {
        var state = State(frameBuffers: 1, packetBuffers: 2)
        state.start()
        state.recordQueuedPacketBuffer(0)
        try queue(1, &state)
        for index in [1, 2, -1, .max] as [Int] {
            let decision = state.recordReturnedPacket(
                Returned(index: index, stamp: 1, content: .frame(isKeyframe: true)))
            #expect(decision == .restart(.foreignBuffer))
        }
    }

    @Test func packet_noKeyframeAfterAStart_restarts() throws {
        var state = running()
        for time in [1, 2] as [Int64] { try queue(time, &state) }
        let first = answer(&state, stamp: 1, .frame(isKeyframe: false))
        #expect(first == .restart(.noKeyframe))
        state.stop()
        #expect(state.lostFrames == 2)
        state.start()
        giveBuffers(&state)
        try queue(3, &state)
        let next = answer(&state, stamp: 3, .frame(isKeyframe: true))
        #expect(next == .packet(ticks: 3, isKeyframe: true) && state.lostFrames == 2)
    }

    /// A driver that copies no timestamps, with zero or with a clock of its own.
    @Test func packet_timeOfNoFrame_restarts() throws {
        for stamp in [0, 9, 41, .max, .min] as [Int64] {
            var state = running()
            for time in [10, 20, 40] as [Int64] { try queue(time, &state) }
            let decision = answer(&state, stamp: stamp, .frame(isKeyframe: true))
            #expect(decision == .restart(.unknownTime), "\(stamp)")
        }
    }

    @Test func header_ownBuffer_takesNoFrame() throws {
        var state = running()
        try queue(1, &state)
        let header = answer(&state, stamp: 1, .header)
        #expect(header == .header && state.heldFrames == 1)
        let frame = answer(&state, stamp: 1, .frame(isKeyframe: true))
        #expect(frame == .packet(ticks: 1, isKeyframe: true))
    }

    /// Buffers that take nothing from a frame, as many as there may be between two frames, and then one more.
    @Test(arguments: [StatefulEncoderState.Content.nothing, .header])
    func buffers_withoutFrames_restartAfterTooMany(content: StatefulEncoderState.Content) throws {
        let expected: State.Decision = content == .header ? .header : .nothing
        var state = running()
        for time in [1, 2, 3] as [Int64] { try queue(time, &state) }
        for time in [1, 2] as [Int64] {
            for _ in 0..<32 {
                let decision = answer(&state, stamp: 0, content)
                #expect(decision == expected)
            }
            let frame = answer(&state, stamp: time, .frame(isKeyframe: time == 1))
            #expect(frame == .packet(ticks: time, isKeyframe: time == 1))
        }
        for _ in 0..<32 { _ = answer(&state, stamp: 0, content) }
        let last = answer(&state, stamp: 0, content)
        #expect(last == .restart(.noFrames) && state.heldFrames == 1 && state.lostFrames == 0)
    }

    @Test func drain_lastBuffer_endsItWithOrWithoutAFrame() throws {
        for isEmpty in [true, false] {
            var state = running()
            for time in [1, 2] as [Int64] { try queue(time, &state) }
            state.drain()
            #expect(state.freeFrameBuffer == nil)
            _ = answer(&state, stamp: 1, .frame(isKeyframe: true))
            let last =
                isEmpty
                ? answer(&state, stamp: 0, .nothing, isLast: true)
                : answer(&state, stamp: 2, .frame(isKeyframe: false), isLast: true)
            let expected = isEmpty ? State.Decision.nothing : State.Decision.packet(ticks: 2, isKeyframe: false)
            #expect(last == expected)
            #expect(state.phase == .drained && state.freePacketBuffer == nil)
            #expect(state.lostFrames == (isEmpty ? 1 : 0))
            state.stop()
            state.start()
            #expect(state.freeFrameBuffer != nil && state.freePacketBuffer != nil)
        }
    }

    @Test func drain_emptyBufferWithoutTheFlag_endsItWhenNothingIsHeld() throws {
        var state = running()
        for time in [1, 2] as [Int64] { try queue(time, &state) }
        state.drain()
        _ = answer(&state, stamp: 1, .frame(isKeyframe: true))
        let early = answer(&state, stamp: 0, .nothing)
        #expect(early == .nothing && state.phase == .draining && state.lostFrames == 0)
        _ = answer(&state, stamp: 2, .frame(isKeyframe: false))
        let last = answer(&state, stamp: 0, .nothing)
        #expect(last == .nothing && state.phase == .drained && state.lostFrames == 0)
    }

    /// The last packet comes before one of an earlier frame, or twice.
    @Test func drain_packetAfterTheLast_isRefusedAndCountedOnce() throws {
        var state = running()
        for time in [1, 2, 3] as [Int64] { try queue(time, &state) }
        state.drain()
        _ = answer(&state, stamp: 1, .frame(isKeyframe: true))
        let last = answer(&state, stamp: 3, .frame(isKeyframe: false), isLast: true)
        #expect(last == .packet(ticks: 3, isKeyframe: false) && state.phase == .drained && state.lostFrames == 1)
        // The driver still has the buffers 1 to 3.
        let again = answer(&state, index: 1, stamp: 3, .frame(isKeyframe: false), isLast: true)
        #expect(again == .restart(.unexpectedEnd))
        let late = answer(&state, index: 2, stamp: 2, .frame(isKeyframe: false))
        #expect(late == .restart(.reordered))
        state.stop()
        #expect(state.lostFrames == 1 && state.packetCount == 2)
    }

    @Test func lastBuffer_withoutARequest_restarts() throws {
        var state = running()
        try queue(1, &state)
        let decision = answer(&state, stamp: 1, .frame(isKeyframe: true), isLast: true)
        #expect(decision == .restart(.unexpectedEnd) && state.phase == .running)
        state.stop()
        #expect(state.lostFrames == 1)
    }

    /// Whatever a driver returns, each frame is a packet, lost, or held.
    @Test(arguments: (0..<64) as Range<UInt64>) func anyDriver_everyFrameIsCountedOnce(seed: UInt64) {
        var numbers = seed &* 0x9E37_79B9_7F4A_7C15 | 1
        func random(_ count: Int) -> Int {
            numbers = numbers &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(numbers >> 33) % count
        }
        var state = running()
        var (accepted, packets, time) = (Int64(0), Int64(0), Int64(0))
        for _ in 0..<2000 {
            switch random(8) {
            case 0...2:
                guard let index = state.freeFrameBuffer else { continue }
                time += 10
                state.recordQueuedFrame(index, stamp: state.stamp(for: time), ticks: time)
                accepted += 1
            case 3: _ = state.recordReturnedFrame(random(6) - 1)
            case 4...6:
                let contents: [State.Content] = [
                    .nothing, .header, .invalid, .frame(isKeyframe: false), .frame(isKeyframe: true),
                    .frame(isKeyframe: true),
                ]
                let decision = answer(
                    &state, index: random(6) - 1, stamp: max(0, time - Int64(random(5)) * 10), contents[random(6)],
                    isLast: random(12) == 0, isCorrupt: random(20) == 0)
                if case .packet = decision { packets += 1 }
                if case .restart = decision, random(2) == 0 { state.stop() }
            default:
                if random(3) == 0 { state.drain() }
                if state.phase != .running, random(2) == 0 {
                    state.stop()
                    state.start()
                    giveBuffers(&state)
                }
            }
            let counted = packets + state.lostFrames + Int64(state.heldFrames)
            #expect(counted == accepted)
        }
        state.stop()
        #expect(packets + state.lostFrames == accepted)
        #expect(packets > 0 && state.lostFrames > 0, "the seed tests nothing")
    }
}
