import CFFmpeg
import MediaCodecs

extension MovieDemuxer {
    /// One track of a file that is known already, whose packets are to pass on without anybody's looking into them.
    ///
    /// A QuickTime file or MP4 is then opened by its header alone, no packet is decoded to find out what the tracks are, and
    /// packets are found and not read, as far as its form and the codec allow it.
    package struct Passage: Sendable {
        /// The track's place in the file.
        package var index: Int
        /// All tracks of the file, from somebody who has opened it before.
        package var known: [Track]

        package init(_ index: Int, of known: [Track]) {
            (self.index, self.known) = (index, known)
        }

        /// Codecs whose packets libavformat passes on as they are stored in these files, without a look.
        private static let codecs: Set<String> = ["h264", "hevc", "prores", "mjpeg", "mpeg4", "dnxhd", "aac", "alac"]

        var isPossible: Bool {
            guard known.indices.contains(index), Self.codecs.contains(known[index].codecName),
                let format = known[index].format
            else { return false }
            // What is brought into another form must be read.
            return StoredForm(format) == nil
        }

        /// Whether a file whose header has been read is the one that was known, and of a kind that says all in it.
        func fits(_ context: UnsafeMutablePointer<AVFormatContext>) -> Bool {
            guard let name = context.pointee.iformat?.pointee.name, String(cString: name).hasPrefix("mov"),
                known.count == Int(context.pointee.nb_streams)
            else { return false }
            return known.indices.allSatisfy { place in
                guard let stream = context.pointee.streams[place]?.pointee else { return false }
                let track = known[place]
                guard track.index == place, track.timeScale == stream.time_base.den else { return false }
                return place != index
                    || String(cString: avcodec_get_name(stream.codecpar.pointee.codec_id)) == track.codecName
            }
        }
    }
}
