/// The account of a network camera's packets.
package struct ReceptionFigures: Sendable, Hashable {
    /// The packets of one stream.
    package struct Stream: Sendable, Hashable {
        /// Packets that arrived in time, each counted once.
        package var packets: Int64 = 0
        package var lost: Int64 = 0
        /// Packets that arrived after they had been counted as lost.
        package var late: Int64 = 0
        package var duplicates: Int64 = 0
        /// The difference of the camera's clock from the system's, in parts per million; positive if the camera's clock
        /// is faster. nil until the difference is known.
        package var driftPPM: Double?
        /// The time between two keyframes, in nanoseconds; nil for audio, and until it is known.
        package var keyframeInterval: Int64?

        package init() {}

        /// Returns the sum of these figures and `later`. The drift and the time between keyframes are not added but
        /// taken from `later`, if known there, because they are properties of the camera.
        func adding(_ later: Stream) -> Stream {
            var sum = self
            sum.packets += later.packets
            sum.lost += later.lost
            sum.late += later.late
            sum.duplicates += later.duplicates
            sum.driftPPM = later.driftPPM ?? driftPPM
            sum.keyframeInterval = later.keyframeInterval ?? keyframeInterval
            return sum
        }
    }

    /// The account of each stream; nil for a camera without such a stream.
    package var video: Stream?
    package var audio: Stream?
    /// The number of times that the camera's clock did something that the log describes, such as a jump.
    package var clockNotices: Int64 = 0

    package init() {}

    /// Returns the sum of these figures and `later`, the figures of another connection of the same camera.
    func adding(_ later: ReceptionFigures) -> ReceptionFigures {
        func sum(_ one: Stream?, _ other: Stream?) -> Stream? {
            guard let one, let other else { return one ?? other }
            return one.adding(other)
        }
        var figures = self
        figures.video = sum(video, later.video)
        figures.audio = sum(audio, later.audio)
        figures.clockNotices += later.clockNotices
        return figures
    }
}
