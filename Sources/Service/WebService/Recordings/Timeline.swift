import MediaTypes

/// The times at which the recorders recorded, at the resolution of a screen. A pure value. Spans must be added in the
/// order of their beginnings.
struct Timeline: Sendable, Equatable {
    /// One time range in which a recorder recorded.
    struct Span: Encodable, Sendable, Equatable {
        var begin: Double
        var end: Double
        /// The id of the span's recording; nil if the span combines several.
        @OrNull var id: String? = nil
        /// The number of recordings in the span.
        var count = 1
        var isGrowing = false
        var hasLosses = false
        /// True if the owner keeps one of these recordings.
        var isKept = false
    }

    /// A time with a title.
    struct Mark: Encodable, Sendable, Equatable {
        let time: Double
        let title: String
        let id: String
        var count = 1
    }

    /// The row of one recorder.
    struct Line: Encodable, Sendable, Equatable {
        let name: String
        fileprivate(set) var spans: [Span] = []
        fileprivate(set) var marks: [Mark] = []
        /// The activity of the recorder's finished recordings; empty if the range is long.
        var activity: [TimelineActivity] = []
    }

    /// The duration of one point of the screen, in seconds.
    let step: Double
    private(set) var lines: [Line] = []

    init(step: Double) { self.step = step }

    /// Adds a span, or combines it with the last span if a screen cannot show them separately.
    ///
    /// - Parameter span: A span that does not begin before the recorder's last span.
    mutating func add(_ span: Span, of recorder: String) {
        guard span.begin <= span.end else { return }
        let index = line(recorder)
        guard let last = lines[index].spans.indices.last, isOne(lines[index].spans[last], span) else {
            return lines[index].spans.append(span)
        }
        lines[index].spans[last].take(span)
    }

    mutating func add(_ mark: Mark, of recorder: String) {
        let index = line(recorder)
        guard let last = lines[index].marks.indices.last, mark.time - lines[index].marks[last].time < step else {
            return lines[index].marks.append(mark)
        }
        lines[index].marks[last].count += 1
    }

    /// Returns true if two spans are to be combined. The gap between them must be too short for the screen. In
    /// addition, one of the spans must be too short for the screen, or the spans must mostly overlap. Two consecutive
    /// files stay separate if the screen can show both.
    private func isOne(_ one: Span, _ next: Span) -> Bool {
        guard next.begin - one.end < step else { return false }
        let shorter = min(one.end - one.begin, next.end - next.begin)
        return shorter < step || one.end - next.begin > shorter / 2
    }

    private mutating func line(_ recorder: String) -> Int {
        // Rows arrive ordered by recorder, so the searched line is usually the last one.
        if let index = lines.lastIndex(where: { $0.name == recorder }) { return index }
        lines.append(Line(name: recorder))
        return lines.count - 1
    }
}

extension Timeline.Span {
    fileprivate mutating func take(_ other: Self) {
        if id == nil || other.id != id {
            count += other.count
            id = nil
        }
        end = max(end, other.end)
        isGrowing = isGrowing || other.isGrowing
        hasLosses = hasLosses || other.hasLosses
        isKept = isKept || other.isKept
    }
}
