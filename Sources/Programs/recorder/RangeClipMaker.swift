import Foundation
import MediaTypes
import MovieCommands
import RecorderStorage

/// Makes the clips of `recorder keep` with the code of `recorder reencode` and `recorder verify`.
struct RangeClipMaker: RangeClipMaking {
    func clock(of file: String) throws(MediaError) -> MovieClock { try MovieClock(reading: file) }

    func joinsWithoutLoss(_ files: [String]) async throws(MediaError) -> Bool {
        try await RangeClip.joinsWithoutLoss(files.map { URL(fileURLWithPath: $0) })
    }

    func make(_ parts: [RangePlan.Part], at path: String) async throws(MediaError) {
        try await clip(parts).make(at: URL(fileURLWithPath: path))
    }

    func verify(_ parts: [RangePlan.Part], at path: String) async throws(MediaError) {
        try await clip(parts).verify(URL(fileURLWithPath: path))
    }

    private func clip(_ parts: [RangePlan.Part]) -> RangeClip {
        let begin = Date(timeIntervalSince1970: parts.first?.begin ?? 0)
        let sources = parts.map { part in
            RangeClip.Part(file: URL(fileURLWithPath: part.file), range: part.range, isToTheEnd: part.isToTheEnd)
        }
        return RangeClip(sources, begin: begin)
    }
}
