import Foundation
import MediaTypes
import TestSupport
import Testing

@testable import MovieFile

/// Tests that read a movie with every feature through FFmpeg, mediainfo, GStreamer and mp4analyser. Each test names the
/// programs that do not support its feature.
@Suite struct JudgesTests {
    static let movies: [FileType: FeatureMovie] = [
        .mov: try! FeatureMovie(.mov), .mp4: try! FeatureMovie(.mp4), .m4v: try! FeatureMovie(.m4v),
    ]

    private func judge<Result>(_ type: FileType, _ body: (String) throws -> Result) throws -> Result {
        try #require(Self.movies[type]).judge(body)
    }

    @Test(arguments: [FileType.mov, .mp4, .m4v])
    func movie_anyFileType_isOpenedByOtherPrograms(type: FileType) throws {
        try judge(type) { path in
            let probe = try Judges.ffprobe(path)
            #expect(probe["format"]["duration"].number == 3)
            #expect(probe["streams"].all.count == (type == .mov ? 4 : 3))
            #expect(try Judges.mediainfo(path)[0]["Duration"].number == 3)
            #expect(try Judges.gstreamer(path).contains("Duration: 0:00:03.000000000"))
            #expect(try Judges.atoms(path).find("moov/mvhd").info["timescale"].number == 600)
        }
    }

    @Test(
        arguments: [
            (.mov, "qt  ", "QuickTime"), (.mp4, "mp42", "Base Media / Version 2"), (.m4v, "M4V ", nil),
        ] as [(FileType, String, String?)])
    func movie_brand_isReadByOtherPrograms(type: FileType, brand: String, profile: String?) throws {
        try judge(type) { path in
            #expect(try Judges.ffprobe(path)["format"]["tags"]["major_brand"].text == brand)
            let general = try Judges.mediainfo(path)[0]
            #expect(general["Format"].text == "MPEG-4" && general["CodecID"].text == brand)
            #expect(general["Format_Profile"].text == profile)
            let atoms = try Judges.atoms(path)
            #expect(atoms.children.map(\.type) == ["ftyp", type == .mov ? "wide" : "free", "mdat", "moov"])
        }
    }

    @Test(arguments: [FileType.mov, .mp4])
    func movie_rotation_isReadByOtherPrograms(type: FileType) throws {
        try judge(type) { path in
            let side = try Judges.ffprobe(path)["streams"][0]["side_data_list"][0]
            #expect(side["rotation"].number == -90 && side["displaymatrix"].text?.contains("3145728") == true)
            #expect(try Judges.mediainfo(path).first(where: "@type", is: "Video")["Rotation"].number == 90)
            #expect(try Judges.gstreamer(path).contains("image orientation: rotate-90"))
            let tkhd = try Judges.atoms(path).find("moov/trak/tkhd").info
            #expect(
                tkhd["matrix"].all.map(\.text) == [
                    "0x00000000", "0x00010000", "0x00000000", "0xffff0000", "0x00000000", "0x00000000", "0x00300000",
                    "0x00000000", "0x40000000",
                ])
            // The size before rotation; FFmpeg and GStreamer show that of the format.
            #expect(tkhd["width"].number == 72 && tkhd["height"].number == 48)
        }
    }

    /// FFmpeg and GStreamer show the three letters, mediainfo the extended tag.
    @Test(arguments: [FileType.mov, .mp4])
    func movie_languages_areReadByOtherPrograms(type: FileType) throws {
        try judge(type) { path in
            let streams = try Judges.ffprobe(path)["streams"]
            #expect(streams.all.prefix(3).map { $0["tags"]["language"].text } == ["deu", "gsw", "deu"])
            let tracks = try Judges.mediainfo(path)
            #expect(tracks.first(where: "@type", is: "Video")["Language"].text == "de-CH")
            #expect(tracks.first(where: "@type", is: "Audio")["Language"].text == "gsw-u-sd-chzh")
            #expect(try Judges.gstreamer(path).contains("language code: gsw"))
            let elng = try Judges.atoms(path).find("moov/trak/mdia/elng")
            #expect(elng.info["extended_language"].text == "b'de-CH'")
        }
    }

    /// Only mediainfo shows alternate groups, and only mp4analyser the volume.
    @Test(arguments: [FileType.mov, .mp4])
    func movie_audioVolumeAndGroup_areReadByOtherPrograms(type: FileType) throws {
        try judge(type) { path in
            #expect(try Judges.mediainfo(path).first(where: "@type", is: "Audio")["AlternateGroup"].text == "1")
            let tracks = try Judges.atoms(path).find("moov").all("trak")
            let tkhd = try #require(tracks.count > 1 ? tracks[1] : nil).find("tkhd").info
            #expect(tkhd["volume"].number == 0.5 && tkhd["alternate_group"].number == 1)
            #expect(tracks[0].find("tkhd").info["volume"].number == 0)
        }
    }

    @Test func movie_timecode_isReadByOtherPrograms() throws {
        try judge(.mov) { path in
            let streams = try Judges.ffprobe(path)["streams"]
            for index in [0, 1, 3] { #expect(streams[index]["tags"]["timecode"].text == "10:00:00;00") }
            #expect(streams[3]["tags"]["reel_name"].text == "Reel 7")
            let code = try Judges.mediainfo(path).first(where: "Type", is: "Time code")
            #expect(code["TimeCode_FirstFrame"].text == "10:00:00;00" && code["Title"].text == "Reel 7")
            #expect(code["TimeCode_LastFrame"].text == "10:00:02;29")
            // GStreamer's discoverer omits timecode tracks, and mp4analyser does not support their atoms.
            let moov = try Judges.atoms(path).find("moov")
            #expect(moov.all("trak").prefix(2).allSatisfy { $0.find("tref/tmcd").hex == "00000004" })
        }
    }

    @Test(arguments: [FileType.mov, .mp4, .m4v])
    func movie_chapters_areReadByOtherPrograms(type: FileType) throws {
        try judge(type) { path in
            let probe = try Judges.ffprobe(path)
            #expect(probe["chapters"].all.map { $0["tags"]["title"].text } == FeatureMovie.titles)
            #expect(probe["chapters"].all.map { $0["start_time"].number } == [0, 1, 2])
            #expect(probe["streams"][2]["disposition"]["default"].number == 0)
            // mediainfo has the titles with times as keys. GStreamer's discoverer has none for text tracks.
            let menu = try Judges.mediainfo(path).first(where: "@type", is: "Menu")
            #expect(menu["extra"]["Menu_For"].text == "1,2")
            let moov = try Judges.atoms(path).find("moov")
            #expect(moov.all("trak").prefix(2).allSatisfy { $0.find("tref/chap").hex == "00000003" })
            #expect(moov.all("trak")[2].find("tkhd").info["flags"].text == "0x000006")
        }
    }

    @Test(arguments: [FileType.mov, .mp4, .m4v])
    func movie_metadata_isReadByOtherPrograms(type: FileType) throws {
        try judge(type) { path in
            let tags = try Judges.ffprobe(path)["format"]["tags"]
            #expect(tags["title"].text == "Zürich")
            #expect(tags[MetadataItem.softwareKey].text == "recorder")
            #expect(tags[MetadataItem.locationKey].text == "+47.3769+008.5417+408/")
            #expect(tags["com.example.count"].number == -7 && tags["com.example.gain"].number == 1.5)
            #expect(tags["creation_time"].text == "2023-11-14T22:13:20.000000Z")
            let general = try Judges.mediainfo(path)[0]
            #expect(general["Title"].text == "Zürich")
            // mediainfo 25 has a name of its own for this key.
            let software = general["extra"]["com_apple_quicktime_software"].text
            #expect((software ?? general["Encoded_Application_Name"].text) == "recorder")
            #expect(general["extra"]["com_example_count"].number == -7)
            // GStreamer does not support QuickTime's keys.
            let gstreamer = try Judges.gstreamer(path)
            #expect(gstreamer.contains("title: Zürich") && gstreamer.contains("datetime: 2023-11-14T22:13:20Z"))
            #expect(gstreamer.contains("title: Mikrofon"))
            if type == .mov {
                // All show the first language of a text in several.
                #expect(tags["location"].text == "+47.3769+008.5417/")
            } else {
                #expect(tags["track"].number == 3 && tags["take"].text == "4")
                #expect(general["Track_Position"].number == 3 && gstreamer.contains("track number: 3"))
            }
        }
    }

    /// FFmpeg reports a cover without a time scale as a fault of the file, so it is not in the movie above.
    @Test func movie_coverImage_isReadByOtherPrograms() throws {
        let cover = try #require(
            Data(
                base64Encoded: "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5"
                    + "ErkJggg=="))
        let recording = Recording.short
        let storage = MemoryStorage()
        let writer = MovieFileWriter(
            storage: storage, fileType: .m4a, timeScale: 600, creationTime: 0,
            metadata: [MetadataItem(keySpace: .iTunes, key: "covr", content: .png(Array(cover)))],
            tracks: [recording.tracks[1]], sessionStart: recording.sessionStart)
        for fragment in recording.fragments {
            try writer.writeFragment(fragment.filter { $0.track == 1 }.map { TrackSample(track: 0, sample: $0.sample) })
        }
        try MovieFinisher.finish(storage)
        try TestSupport.judge(storage.bytes, name: "cover.m4a") { path in
            let streams = try Probe(path).streams
            #expect(streams.map(\.codecName) == ["aac", "png"])
            #expect(try Judges.mediainfo(path)[0]["Cover"].text == "Yes")
            #expect(try Judges.mediainfo(path)[0]["Format_Profile"].text == "Apple audio with iTunes info")
            #expect(try Judges.gstreamer(path).contains("image/png"))
        }
    }

    /// A growing recording has the same features.
    @Test(arguments: [FileType.mov, .mp4])
    func movie_notFinalized_hasTheSameFeatures(type: FileType) throws {
        try FeatureMovie(type, finished: false).judge { path in
            let probe = try Probe(path, decodes: true)
            #expect(probe.video?.frames == 90 && probe.video?.tags?["language"] == "deu")
            #expect(probe.format.tags?[MetadataItem.softwareKey] == "recorder")
            #expect(try Judges.mediainfo(path).first(where: "@type", is: "Video")["Rotation"].number == 90)
        }
    }

    @Test(arguments: [true, false])
    func movie_finalizedOrNot_playsInABrowser(finished: Bool) throws {
        let chunk = finished ? nil : MediaTime(value: 1, timescale: 4)
        let movie = try FeatureMovie(.mp4, finished: finished, chunkDuration: chunk, chunkAlignment: finished ? 0 : 512)
        try movie.judge { path in
            let found = try Judges.browser(path)
            // Rotated: it is stored on its side.
            #expect(found["width"].number == 48 && found["height"].number == 64)
            #expect(found["seekedTo"].number.map { abs($0 - 1.5) < 0.1 } == true && found["warnings"].all.isEmpty)
        }
    }
}
