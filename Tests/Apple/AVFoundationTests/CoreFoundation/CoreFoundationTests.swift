import AVFoundation
import Testing

/// Tests of the parts of Core Foundation, Dispatch and Objective-C's Foundation that Foundation on Linux lacks.
@Suite struct CoreFoundationTests {
    private struct Refusal: Error, Equatable { let number: Int }

    @Test func autoreleasepool_returnsOrThrowsAsItsClosure() throws {
        #expect(autoreleasepool { 7 } == 7)
        #expect(throws: Refusal(number: 3)) { try autoreleasepool { throw Refusal(number: 3) } }
    }

    @Test func serialQueue_asActorExecutor_runsTheActor() async {
        actor Counter {
            let queue: DispatchSerialQueue
            var count = 0
            init(_ queue: DispatchSerialQueue) { self.queue = queue }
            nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }
            func add() -> Int {
                dispatchPrecondition(condition: .onQueue(queue))
                count += 1
                return count
            }
        }
        let counter = Counter(DispatchSerialQueue(label: "a counter"))
        _ = await counter.add()
        #expect(await counter.add() == 2)
    }

    @Test func queueWork_nowAndLater_runsOnTheQueue() async {
        let queue = DispatchQueue(label: "work")
        await withCheckedContinuation { done in
            queue.async {
                dispatchPrecondition(condition: .onQueue(queue))
                queue.asyncAfter(deadline: .now() + .milliseconds(1)) {
                    dispatchPrecondition(condition: .onQueue(queue))
                    done.resume()
                }
            }
        }
    }

    @Test func keyValueNotifications_canBeCalled() {
        final class Export: NSObject {
            var progress = 0.0
            func advance() {
                willChangeValue(forKey: "progress")
                willChangeValue(for: \.progress)
                progress += 0.5
                didChangeValue(for: \.progress)
                didChangeValue(forKey: "progress")
            }
        }
        let export = Export()
        export.advance()
        #expect(export.progress == 0.5)
    }

    @Test func hostTime_isMonotonicInNanoseconds() {
        var base = mach_timebase_info()
        mach_timebase_info(&base)
        #expect(base.numer == 1 && base.denom == 1)
        let (before, seconds, after) = (mach_absolute_time(), CACurrentMediaTime(), mach_absolute_time())
        #expect(before <= after)
        let (first, last) = (Double(before) / 1e9 - 0.001, Double(after) / 1e9 + 0.001)
        #expect(first <= seconds && seconds <= last)
    }

    @Test func cgFloat_inAny_isANumber() throws {
        let text = Data(#"{"width": 640, "scale": 1.5}"#.utf8)
        let values = try #require(try JSONSerialization.jsonObject(with: text) as? [String: Any])
        #expect(values["width"] as? CGFloat == 640)
        #expect(values["scale"] as? CGFloat == 1.5)
        let (length, object): (Any, AnyObject) = (CGFloat(2.5), CGFloat(3) as AnyObject)
        #expect((length as? NSNumber)?.doubleValue == 2.5)
        #expect((object as? NSNumber)?.intValue == 3 && object as? CGFloat == 3)
        #expect((["width": length] as NSDictionary)["width"] as? CGFloat == 2.5)
        // Neither texts nor numbers without an exact CGFloat are one.
        #expect(("2" as Any) as? CGFloat == nil)
        #expect((NSNumber(value: Int64.max) as Any) as? CGFloat == nil)
    }

    @Test func cfData_create_copiesTheBytes() throws {
        let bytes: [UInt8] = [1, 2, 3]
        let data = try #require(CFDataCreate(kCFAllocatorDefault, bytes, bytes.count))
        #expect(CFDataGetLength(data) == 3)
        #expect(CFDataGetBytePtr(data)[2] == 3)
        #expect(CFDataCreate(nil, bytes, -1) == nil)
        #expect(CFEqual(data, Data(bytes) as NSData))
        #expect(!CFEqual(data, kCFBooleanTrue))
    }
}
