import FakeDevices
import MediaTypes
import Testing

@testable import RecorderService

@Suite struct ActivityMeterTests {
    /// Feeds 25 packets a second, the first of them a large keyframe, and returns the values of all seconds but the last.
    private func values(_ sizes: [Int], isIntra: Bool = false) -> [Int] {
        var meter = ActivityMeter()
        var values: [Int] = []
        for (second, size) in sizes.enumerated() {
            for number in 0..<25 {
                let isFirst = number == 0 && !isIntra
                let closed = meter.add(
                    at: milliseconds(second * 1000 + number * 40), bytes: isFirst ? 80_000 : size,
                    isKeyframe: isFirst || isIntra)
                if let closed { values.append(closed.value) }
            }
        }
        return values
    }

    @Test func meter_packetsOfUsualSize_isZero() {
        #expect(values([Int](repeating: 2000, count: 20)).allSatisfy { $0 == 0 })
    }

    @Test func meter_packetsTwiceTheUsualSize_isFifty() {
        let values = values([Int](repeating: 20_000, count: 10) + [40_000, 80_000, 20_000, 20_000])
        #expect(values.prefix(10).allSatisfy { $0 == 0 })
        #expect(48...52 ~= values[10] && 72...77 ~= values[11] && values[12] == 0)
    }

    @Test func meter_lastingActivity_countsForMinutes() {
        let values = values([Int](repeating: 5000, count: 10) + [Int](repeating: 20_000, count: 60))
        #expect(values[10] > 65 && values[65] > 50)
    }

    @Test func meter_beginsWithActivity_noticesTheNextOneSoon() {
        let values = values(
            [20_000] + [Int](repeating: 4000, count: 30) + [Int](repeating: 20_000, count: 2))
        #expect(values[31] > 65)
    }

    @Test func meter_tinyPackets_areNotActive() {
        #expect(values([20, 20, 20, 20, 40, 20]).allSatisfy { $0 < 10 })
    }

    @Test func meter_keyframesOnly_measuresTheChangeOfTheirSize() {
        let still = values([100_000, 100_300, 99_800, 100_100, 100_000], isIntra: true)
        #expect(still.allSatisfy { $0 == 0 })
        let larger = values([Int](repeating: 100_000, count: 5) + [112_000, 100_000], isIntra: true)
        let smaller = values([Int](repeating: 100_000, count: 5) + [88_000, 100_000], isIntra: true)
        #expect(45...60 ~= larger[5] && 45...60 ~= smaller[5])
    }

    @Test func meter_secondsWithoutPackets_closesTheLastOne() {
        var meter = ActivityMeter()
        #expect(meter.current == nil)
        #expect(meter.add(at: milliseconds(5100), bytes: 10, isKeyframe: true) == nil)
        #expect(meter.add(at: milliseconds(9900), bytes: 10, isKeyframe: false) == .init(index: 5, value: 0))
        // A frame that is shown earlier is counted where it arrives.
        #expect(meter.add(at: milliseconds(8900), bytes: 10, isKeyframe: false) == nil)
        #expect(meter.current?.index == 9)
    }
}

@Suite struct ActivityTriggerTests {
    private func changes(_ values: [Int], hold: Int64 = 3) -> [Int: ActivityTrigger.Change] {
        var trigger = ActivityTrigger()
        var changes: [Int: ActivityTrigger.Change] = [:]
        for (index, value) in values.enumerated() {
            changes[index] = trigger.look(
                at: .init(index: Int64(index), value: value), threshold: 50, hold: hold)
        }
        #expect(trigger.last == Int64(values.count - 1))
        return changes
    }

    @Test func trigger_valueReachesTheThreshold_beginsOnce() {
        #expect(changes([0, 49, 50, 90, 20, 60, 0]) == [2: .began(50)])
    }

    @Test func trigger_quietForTheHoldTime_endsAndMayBeginAgain() {
        #expect(changes([70, 0, 0, 0, 0, 80]) == [0: .began(70), 3: .ended, 5: .began(80)])
    }

    @Test func trigger_secondsWithoutFrames_countForTheHoldTime() {
        var trigger = ActivityTrigger()
        #expect(trigger.look(at: .init(index: 1, value: 99), threshold: 50, hold: 10) == .began(99))
        #expect(trigger.look(at: .init(index: 60, value: 0), threshold: 50, hold: 10) == .ended)
    }
}
