import MediaTypes
import RecorderStorage

/// The activity of the recorder's video: the values of the last seconds, and the series of each open file. A pure
/// value.
///
/// Packets from before a recording are measured too, so that a file that begins with the pre-roll has values for it.
struct ActivityLog {
    private struct File {
        /// The file's first second on the timeline of the recording.
        let first: Int64
        var series = ActivitySeries()
    }

    private var meter = ActivityMeter()
    /// The values of the last seconds, the newest last.
    private var recent: [ActivityMeter.Second] = []
    private var open: [Int: File] = [:]
    private var ended: [Int: ActivitySeries] = [:]

    /// The number of seconds that are remembered: an hour, the longest pre-roll.
    private static let most = 3600

    /// Adds a packet of the video track.
    mutating func add(_ packet: SampleBuffer) {
        add(at: packet.presentationTime, bytes: packet.byteCount, isKeyframe: packet.isKeyframe)
    }

    /// Adds a frame that has no packet, because it repeats the one before. It counts like a packet of zero bytes.
    mutating func addRepeated(at time: MediaTime) { add(at: time, bytes: 0, isKeyframe: false) }

    private mutating func add(at time: MediaTime, bytes: Int, isKeyframe: Bool) {
        let second = meter.add(at: time, bytes: bytes, isKeyframe: isKeyframe)
        guard let second else { return }
        recent.append(second)
        if recent.count >= 2 * Self.most { recent.removeFirst(Self.most) }
        for number in open.keys { enter(second, number) }
    }

    /// Begins the series of a file that begins at `start`, which may be in the past.
    mutating func begin(_ number: Int, at start: MediaTime) {
        open[number] = File(first: start.ticks(in: 1, rounding: .down))
        for second in recent { enter(second, number) }
    }

    private mutating func enter(_ second: ActivityMeter.Second, _ number: Int) {
        guard let first = open[number]?.first, second.index >= first else { return }
        open[number]?.series.set(second.value, at: Int(clamping: second.index - first))
    }

    /// Ends the series of a file. Its last value is that of the current second, which has not ended.
    mutating func end(_ number: Int) {
        if let current = meter.current { enter(current, number) }
        guard let file = open.removeValue(forKey: number) else { return }
        ended[number] = file.series
    }

    /// Removes and returns the series of a file that has ended; nil if nothing was measured.
    mutating func take(_ number: Int) -> ActivitySeries? {
        open[number] = nil
        guard let series = ended.removeValue(forKey: number), !series.values.isEmpty else { return nil }
        return series
    }

    /// Returns the remembered seconds after the second `index`. If `index` is nil, returns only the newest second.
    func seconds(after index: Int64?) -> [ActivityMeter.Second] {
        guard let index else { return Array(recent.suffix(1)) }
        let count = recent.reversed().prefix { $0.index > index }.count
        return Array(recent.suffix(count))
    }
}
