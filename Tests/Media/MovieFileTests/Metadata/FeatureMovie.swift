import Foundation
import MediaTypes
import TestSupport

@testable import MovieFile

/// A movie of three seconds with every property of a track and a movie.
struct FeatureMovie {
    let bytes: [UInt8]
    let fileType: FileType

    static let quarterTurn: [Double] = [0, 1, 0, -1, 0, 0, 48, 0, 1]
    static let timecode = TimecodeFormat(
        frameDuration: MediaTime(value: 1001, timescale: 30000), framesPerSecond: 30, dropsFrames: true,
        sourceName: "Reel 7")
    static let titles = ["Begrüssung", "Mitte", "終わり"]
    static func metadata(_ fileType: FileType) -> [MetadataItem] {
        let keyed = [
            MetadataItem(key: MetadataItem.softwareKey, value: "recorder"),
            MetadataItem(key: MetadataItem.creationDateKey, value: "2023-11-14T22:13:20+0100"),
            MetadataItem(key: MetadataItem.locationKey, value: "+47.3769+008.5417+408/"),
            MetadataItem(keySpace: .quickTimeMetadata, key: "com.example.count", content: .integer(-7)),
            MetadataItem(keySpace: .quickTimeMetadata, key: "com.example.gain", content: .float(1.5)),
        ]
        let other: [MetadataItem]
        if fileType.isQuickTime {
            other = [
                MetadataItem(keySpace: .quickTimeUserData, key: "©nam", content: .text("Zürich")),
                MetadataItem(keySpace: .quickTimeUserData, key: "©nam", content: .text("Zurich"), language: "eng"),
                MetadataItem(keySpace: .quickTimeUserData, key: "©xyz", content: .text("+47.3769+008.5417/")),
            ]
        } else {
            other = [
                MetadataItem(keySpace: .iTunes, key: "©nam", content: .text("Zürich")),
                MetadataItem(keySpace: .iTunes, key: "trkn", content: .integer(3)),
                MetadataItem(keySpace: .iTunes, key: "com.example:take", content: .text("4")),
            ]
        }
        return keyed + other
    }

    init(_ fileType: FileType, finished: Bool = true, chunkDuration: MediaTime? = nil, chunkAlignment: Int = 0) throws {
        self.fileType = fileType
        let recording = Recording.short
        var tracks = recording.tracks
        let chapters = UInt32(3)
        let code: UInt32? = fileType.isQuickTime ? 4 : nil
        for index in tracks.indices {
            tracks[index].language = index == 0 ? "deu" : "gsw"
            tracks[index].extendedLanguage = index == 0 ? "de-CH" : "gsw-u-sd-chzh"
            tracks[index].alternateGroup = index
            tracks[index].references[.chapterList] = [chapters]
            tracks[index].references[.timecode] = code.map { [$0] }
            tracks[index].chunkDuration = chunkDuration
            tracks[index].chunkAlignment = chunkAlignment
        }
        tracks[0].matrix = Self.quarterTurn
        tracks[0].naturalSize = (72, 48)
        tracks[1].volume = 0.5
        tracks[1].metadata = [MetadataItem(keySpace: .quickTimeUserData, key: "©nam", content: .text("Mikrofon"))]
        tracks[0].metadata = [MetadataItem(key: "com.example.lens", value: "35 mm")]
        tracks.append(
            MovieTrack(
                id: chapters, mediaType: .text, format: .text(TextFormat()), timeScale: 1000, language: "deu"))
        let start = recording.sessionStart
        var extra: [TrackSample] = Self.titles.enumerated().map { index, title in
            let second = MediaTime(value: 1, timescale: 1)
            let time = start + MediaTime(value: Int64(index), timescale: 1)
            return TrackSample(track: 2, sample: TextFormat().sample(title, at: time, duration: second))
        }
        if let code {
            tracks.append(
                MovieTrack(id: code, mediaType: .timecode, format: .timecode(Self.timecode), timeScale: 30000))
            // 10:00:00;00
            let number = Self.timecode.sample(frameNumber: 1_078_920, at: start)
            extra.append(
                TrackSample(
                    track: 3,
                    sample: SampleBuffer(
                        format: number.format, content: number.content, presentationTime: start,
                        duration: MediaTime(value: 3, timescale: 1))))
        }
        let storage = MemoryStorage()
        let writer = MovieFileWriter(
            storage: storage, fileType: fileType, timeScale: 600, creationTime: 1_700_000_000,
            metadata: Self.metadata(fileType), tracks: tracks, sessionStart: start)
        for (index, fragment) in recording.fragments.enumerated() {
            let next = index + 1 < recording.fragments.count ? recording.fragments[index + 1].first : nil
            try writer.writeFragment(index == 0 ? fragment + extra : fragment, next: next)
        }
        if finished { try MovieFinisher.finish(storage, facts: recording.facts) }
        bytes = storage.bytes
    }

    func judge<Result>(_ body: (String) throws -> Result) throws -> Result {
        try TestSupport.judge(bytes, name: "movie.\(fileType.rawValue)", body)
    }
}
