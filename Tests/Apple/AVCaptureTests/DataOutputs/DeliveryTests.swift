import Capture
import FakeDevices
import Foundation
import MediaTypes
import RealTime
import TestSupport
import Testing

@testable import AVCapture

@Suite struct DeliveryTests {
    @Test func delivery_begunOnSeveralThreads_deliversEachSampleOnce() async throws {
        let delivery = Delivery(WaitingSamples(.samples(count: 100, bytes: 1 << 20), reportsDrops: false))
        let delivered = Locked<[(target: Int, time: Int64)]>([])
        DispatchQueue.concurrentPerform(iterations: 16) { target in
            delivery.begin(on: DispatchQueue(label: "test \(target)")) { item in
                if case .sample(let sample) = item {
                    delivered.withLock { $0.append((target, sample.presentationTime.ticks(in: 1000))) }
                }
                return .delivered
            }
        }
        for index in 0..<50 { delivery.receive(.sample(audio(at: index * 10, frames: 480))) }
        try await waitUntil { delivery.ledger.waiting == 0 && delivered.withLock { $0.count } == 50 }
        let calls = delivered.withLock { $0 }
        #expect(calls.map(\.time) == [Int64](stride(from: 0, to: 500, by: 10)))
        #expect(Set(calls.map(\.target)).count == 1)
    }

    @Test func delivery_anotherQueue_isTheOnlyOneFromThenOn() async throws {
        let delivery = Delivery(WaitingSamples(.samples(count: 100, bytes: 1 << 20), reportsDrops: false))
        let (old, new) = (DispatchQueue(label: "old"), DispatchQueue(label: "new"))
        let told = Locked<[String]>([])
        old.suspend()
        for (name, queue) in [("old", old), ("new", new)] {
            delivery.begin(on: queue) { _ in
                told.withLock { $0.append(name) }
                return .delivered
            }
            delivery.receive(.sample(audio(at: 0)))
        }
        try await waitUntil { told.withLock { !$0.isEmpty } }
        old.resume()
        old.sync {}
        #expect(told.withLock { $0 } == ["new"])
        #expect(delivery.ledger.delivered == 4800 && delivery.ledger.late == 4800)
    }
}
