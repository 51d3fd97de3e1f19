/// A track of a movie as a player reads it: the samples that the player would show, and their times.
package struct PlayedTrack: Sendable {
    package enum Kind: Sendable { case video, audio, other }

    package struct Packet: Sendable {
        package var offset: UInt64
        package var byteCount: UInt64
        /// Seconds from the movie's start; nil if the player does not know.
        package var time: Double?

        package init(offset: UInt64, byteCount: UInt64, time: Double?) {
            (self.offset, self.byteCount, self.time) = (offset, byteCount, time)
        }
    }

    package var id: Int
    package var kind: Kind
    /// True if the player skips the track, because the track only accompanies another track.
    package var isLeftOut: Bool
    /// Shown packets, in the order of reading.
    package var packets: [Packet] = []

    package init(id: Int, kind: Kind, isLeftOut: Bool) {
        (self.id, self.kind, self.isLeftOut) = (id, kind, isLeftOut)
    }
}
