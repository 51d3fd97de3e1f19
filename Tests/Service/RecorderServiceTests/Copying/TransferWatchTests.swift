import Testing

@testable import RecorderService

/// The decision that rclone makes no progress.
@Suite struct TransferWatchTests {
    private static let second: Int64 = 1_000_000_000

    private func watch(size: Int64? = nil) -> TransferWatch {
        TransferWatch(silence: 120 * Self.second, file: size.map { ($0, 900 * Self.second) }, at: 0)
    }

    /// Object stores get a checksum before the first byte.
    @Test func isStalled_fileIsReadBeforeTheFirstByte_isFalse() {
        var watch = watch(size: 50 << 30)
        for minute in 1...10 as ClosedRange<Int64> {
            watch.record(sent: 0, read: minute << 30, at: minute * 60 * Self.second)
            #expect(!watch.isStalled(at: minute * 60 * Self.second))
        }
        #expect(!watch.isStalled(at: 720 * Self.second))
        #expect(watch.isStalled(at: 721 * Self.second))
    }

    /// The remote stopped to accept data: only its answers are read.
    @Test func isStalled_littleIsRead_isTrue() {
        var watch = watch(size: 1 << 30)
        watch.record(sent: 1000, read: 5 << 20, at: 0)
        for minute in 1...3 as ClosedRange<Int64> {
            watch.record(sent: 1000, read: 5 << 20 + minute * 1000, at: minute * 60 * Self.second)
        }
        #expect(watch.isStalled(at: 180 * Self.second))
    }

    /// The remote computes a checksum after the last byte.
    @Test func isStalled_afterTheLastByte_waitsLonger() {
        var watch = watch(size: 1000)
        watch.record(sent: 1000, read: nil, at: 0)
        #expect(!watch.isStalled(at: 900 * Self.second))
        #expect(watch.isStalled(at: 901 * Self.second))
    }

    @Test func isStalled_noFileIsSent_countsOutputOnly() {
        var watch = watch()
        watch.record(sent: 0, read: 1 << 40, at: 100 * Self.second)
        #expect(watch.isStalled(at: 121 * Self.second))
        watch.recordOutput(at: 130 * Self.second)
        #expect(!watch.isStalled(at: 250 * Self.second))
        watch.record(sent: 10, read: nil, at: 240 * Self.second)
        #expect(watch.sent == 10 && !watch.isStalled(at: 360 * Self.second))
    }
}
