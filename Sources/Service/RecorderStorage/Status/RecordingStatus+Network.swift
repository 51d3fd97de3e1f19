package import MediaTypes

extension RecordingStatus {
    /// The reception of a network camera since the process began, over all connections.
    package struct Network: Codable, Sendable, Equatable {
        /// The packets of one stream.
        package struct Stream: Codable, Sendable, Equatable {
            /// Packets that arrived in time.
            package var packets: Int64
            package var lost: Int64
            /// Packets that arrived after they had been counted as lost.
            package var late: Int64
            package var duplicates: Int64
            /// The drift of the camera's clock against the system's, in parts per million; positive if the camera's
            /// clock is faster.
            @OrNull package var driftPPM: Double?

            package init(packets: Int64, lost: Int64, late: Int64, duplicates: Int64, driftPPM: Double? = nil) {
                self.packets = packets
                self.lost = lost
                self.late = late
                self.duplicates = duplicates
                self.driftPPM = driftPPM
            }
        }

        @OrNull package var video: Stream?
        @OrNull package var audio: Stream?
        /// The number of irregularities of the camera's clock, such as a jump. The log describes each.
        package var clockNotices: Int64

        package init(video: Stream?, audio: Stream?, clockNotices: Int64) {
            self.video = video
            self.audio = audio
            self.clockNotices = clockNotices
        }
    }
}
