import CFFmpeg
import MediaCodecs

extension MovieDemuxer {
    /// One track of a known file, whose packets are passed on without inspecting them.
    ///
    /// If the format and the codec allow it, the demuxer opens a QuickTime or MP4 file only by its header. It decodes
    /// no packet to identify the tracks, and it locates packets without reading them.
    package struct Passage: Sendable {
        /// The index of the track.
        package var index: Int
        /// All tracks of the file, from a demuxer that has opened it before.
        package var known: [Track]

        package init(_ index: Int, of known: [Track]) {
            (self.index, self.known) = (index, known)
        }

        /// Codecs whose packets libavformat returns as they are stored in these files, without parsing them.
        private static let codecs: Set<String> = ["h264", "hevc", "prores", "mjpeg", "mpeg4", "dnxhd", "aac", "alac"]

        var isPossible: Bool {
            guard known.indices.contains(index), Self.codecs.contains(known[index].codecName),
                let format = known[index].format
            else { return false }
            // A packet that must be converted must be read.
            return StoredForm(format) == nil
        }

        /// Returns true if an opened file is a QuickTime or MP4 file with the known tracks, and if its header states
        /// the known codec of this track.
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
