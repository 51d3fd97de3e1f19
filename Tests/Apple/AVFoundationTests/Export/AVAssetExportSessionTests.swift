import AVFoundation
import Foundation
import TestSupport
import Testing

/// Tests of the uses of export sessions in AVFoundation's guide, and of those that it forbids.
@Suite struct AVAssetExportSessionTests {
    @Test func guideListing_export_writesAFileAndCallsTheHandlerOnce() async throws {
        let movies = try MadeMovies()
        let (source, target) = (try movies.movie(), movies.directory.file("out.mp4"))
        try await onThread {
            let asset = AVURLAsset(url: source)
            #expect(AVAssetExportSession.exportPresets(compatibleWith: asset).contains(AVAssetExportPreset640x480))
            let session = try #require(AVAssetExportSession(asset: asset, presetName: AVAssetExportPreset640x480))
            #expect(session.status == .unknown && session.progress == 0 && session.error == nil)
            #expect(session.presetName == AVAssetExportPreset640x480 && session.asset === asset)
            session.outputURL = target
            session.outputFileType = .mp4
            session.shouldOptimizeForNetworkUse = true
            session.timeRange = CMTimeRange(start: seconds(0.5), duration: seconds(1))
            let (gate, calls) = (Gate(), Counter())
            session.exportAsynchronously {
                calls.add()
                gate.open()
            }
            #expect(session.status == .exporting || session.status == .waiting || session.status == .completed)
            #expect(gate.wait())
            #expect(session.status == .completed && session.progress == 1 && session.error == nil && calls.count == 1)
            // A session exports once; a second call also calls its handler, and changes nothing.
            session.exportAsynchronously { gate.open() }
            #expect(gate.wait() && session.status == .completed)
        }
        let probe = try Probe(target.path, decodes: true)
        #expect(probe.complaints == "" && probe.video?.frames == 30 && probe.video?.codecName == "h264")
        #expect(abs(probe.format.seconds - 1) < 0.03 && probe.audio?.codecName == "aac")
        let order = try Command.run(["ffprobe", "-v", "trace", target.path]).errors
        let (moov, mdat) = (order.range(of: "type:'moov'"), order.range(of: "type:'mdat'"))
        #expect(try #require(moov).lowerBound < (try #require(mdat)).lowerBound)
    }

    @Test func export_asyncForm_throwsAndReportsProgress() async throws {
        let movies = try MadeMovies()
        let target = movies.directory.file("out.mov")
        let asset = AVURLAsset(url: try movies.movie(seconds: 4))
        let session = try #require(AVAssetExportSession(asset: asset, presetName: AVAssetExportPresetHighestQuality))
        let watching = Task {
            var (phases, last): ([String], Double) = ([], 0)
            for await state in session.states(updateInterval: 0.02) {
                switch state {
                case .pending: phases.append("pending")
                case .waiting: phases.append("waiting")
                case .exporting(let progress):
                    if phases.last != "exporting" { phases.append("exporting") }
                    #expect(progress.fractionCompleted >= last)
                    last = progress.fractionCompleted
                }
            }
            return (phases, last)
        }
        try await session.export(to: target, as: .mov)
        let (phases, last) = await watching.value
        #expect(phases.last == "exporting" && last == 1, "\(phases)")
        #expect(session.status == .completed && session.outputURL == target)
        #expect(try Probe(target.path, decodes: true).video?.frames == 120)
        // A later observer receives no more states.
        for await state in session.states() { Issue.record("\(state)") }
        let again = await #expect(throws: AVError.self) { try await session.export(to: target, as: .mov) }
        #expect(again?.code == .operationNotAllowed)
    }

    @Test(arguments: [Double.greatestFiniteMagnitude, 2e10, 1e-300, -1, .nan, .infinity])
    func states_anyInterval_deliversTheCurrentState(interval: Double) async throws {
        let asset = AVURLAsset(url: URL(fileURLWithPath: "/nowhere/at/all.mov"))
        let session = try #require(AVAssetExportSession(asset: asset, presetName: AVAssetExportPresetPassthrough))
        var states = session.states(updateInterval: interval).makeAsyncIterator()
        let first = await states.next()
        guard case .pending? = first else {
            Issue.record("\(String(describing: first))")
            return
        }
    }

    @Test func export_nonThrowingForm_storesTheErrorInTheSession() async throws {
        let movies = try MadeMovies()
        let target = movies.directory.file("out.mov")
        try Data("kept".utf8).write(to: target)
        let asset = AVURLAsset(url: try movies.movie())
        let session = try #require(AVAssetExportSession(asset: asset, presetName: AVAssetExportPresetPassthrough))
        session.outputURL = target
        session.outputFileType = .mov
        await session.export()
        let error = try #require(session.error as NSError?)
        #expect(session.status == .failed && error.domain == AVFoundationErrorDomain)
        #expect(error.code == AVError.Code.fileAlreadyExists.rawValue && error.userInfo[NSUnderlyingErrorKey] != nil)
        #expect(try Data(contentsOf: target) == Data("kept".utf8))
    }

    @Test func export_missingOrInvalidProperties_failsWithoutTrapping() async throws {
        let movies = try MadeMovies()
        let (movie, out) = (AVURLAsset(url: try movies.movie()), movies.directory.file("out.mov"))
        #expect(AVAssetExportSession(asset: movie, presetName: "no preset") == nil)
        #expect(AVAssetExportSession(asset: movie, presetName: AVAssetExportPresetHEVC1920x1080WithAlpha) == nil)
        func failure(
            _ asset: AVAsset, _ preset: String = AVAssetExportPresetPassthrough,
            _ change: @escaping @Sendable (AVAssetExportSession) -> Void
        ) async throws -> String {
            let session = try await CompositionJudge.export(asset, to: out, preset: preset, configure: change)
            #expect(session.status == .failed)
            return session.error?.localizedDescription ?? ""
        }
        #expect(try await failure(movie) { $0.outputURL = nil }.contains("outputURL"))
        let unnamed = movies.directory.file("out.xyz")
        let untyped = try await failure(movie) { ($0.outputURL, $0.outputFileType) = (unnamed, nil) }
        #expect(untyped.contains("outputFileType") && untyped.contains(".xyz"))
        #expect(try await failure(movie) { $0.outputFileType = .wav }.contains("public.wav") == false)
        #expect(try await failure(movie) { $0.timeRange = range(7, 9) }.contains("past the end"))
        #expect(try await failure(movie) { $0.timeRange = .invalid }.contains("timeRange"))
        #expect(try await failure(movie) { $0.fileLengthLimit = -1 }.contains("fileLengthLimit"))
        #expect(try await failure(movie, AVAssetExportPresetAppleM4A) { $0.outputFileType = .mov }.contains("M4A"))
        #expect(try await failure(AVURLAsset(url: movies.directory.file("none.mov"))) { _ in } != "")
        #expect(try await failure(AVMutableComposition()) { _ in } != "")
        #expect(movies.directory.names == ["movie.mov"])
    }

    @Test func export_propertySetTooLate_failsWithItsName() async throws {
        let movies = try MadeMovies()
        let asset = AVURLAsset(url: try movies.movie(seconds: 20))
        let target = movies.directory.file("out.mov")
        let session = try await CompositionJudge.exportLate(asset, to: target) { $0.shouldOptimizeForNetworkUse = true }
        #expect(session.status == .failed)
        #expect(session.error?.localizedDescription.contains("shouldOptimizeForNetworkUse") == true)
        #expect(!session.shouldOptimizeForNetworkUse && movies.directory.names == ["movie.mov"])
    }

    @Test func export_cancelled_leavesNothingAndReportsIt() async throws {
        let movies = try MadeMovies()
        let asset = AVURLAsset(url: try movies.movie(seconds: 20))
        let target = movies.directory.file("out.mov")
        let session = try await CompositionJudge.exportLate(asset, to: target) { $0.cancelExport() }
        #expect(session.status == .cancelled && movies.directory.names == ["movie.mov"])
        #expect((session.error as NSError?)?.code == AVError.Code.operationCancelled.rawValue)
        // A cancelled task cancels its export.
        let other = try #require(AVAssetExportSession(asset: asset, presetName: AVAssetExportPresetHighestQuality))
        let task = Task { try await other.export(to: target, as: .mov) }
        try await waitUntil { other.status == .exporting }
        task.cancel()
        let error = await #expect(throws: AVError.self) { try await task.value }
        #expect(error?.code == .operationCancelled && other.status == .cancelled)
        #expect(movies.directory.names == ["movie.mov"])
        // Before the export has begun there is nothing to cancel.
        let third = try #require(AVAssetExportSession(asset: asset, presetName: AVAssetExportPresetPassthrough))
        third.cancelExport()
        try await third.export(to: target, as: .mov)
        #expect(third.status == .completed)
    }

    @Test func export_fileLengthLimit_isKeptAndEstimatesAreNear() async throws {
        let movies = try MadeMovies()
        let asset = AVURLAsset(url: try movies.movie(seconds: 4))
        let target = movies.directory.file("out.mov")
        let session = try await CompositionJudge.export(asset, to: target) {
            #expect($0.estimatedOutputFileLength > 80_000)
            $0.fileLengthLimit = 240_000
            #expect($0.estimatedOutputFileLength <= 240_000)
            #expect($0.maxDuration <= seconds(4.1))
            $0.canPerformMultiplePassesOverSourceMediaData = true
            $0.directoryForTemporaryFiles = FileManager.default.temporaryDirectory
        }
        #expect(session.status == .completed, "\(String(describing: session.error))")
        let size = try #require(try FileManager.default.attributesOfItem(atPath: target.path)[.size] as? Int)
        #expect(size <= 240_000 && size > 20_000)
        let free = try #require(AVAssetExportSession(asset: asset, presetName: AVAssetExportPresetPassthrough))
        let original = try #require(
            try FileManager.default.attributesOfItem(atPath: try movies.movie(seconds: 4).path)[.size] as? Int64)
        let estimate = try await free.estimatedOutputFileLengthInBytes
        #expect(estimate > original / 2 && estimate < original * 2)
        #expect(abs(try await free.estimatedMaximumDuration.seconds - 4) < 0.1)
        let gate = Gate()
        free.estimateOutputFileLength { length, error in
            #expect(length == estimate && error == nil)
            gate.open()
        }
        free.estimateMaximumDuration { duration, error in
            #expect(abs(duration.seconds - 4) < 0.1 && error == nil)
            gate.open()
        }
        #expect(try await onThread { gate.wait() && gate.wait() })
    }

    @Test func export_withoutFileType_followsTheExtension() async throws {
        let movies = try MadeMovies()
        let movie = AVURLAsset(url: try movies.movie(seconds: 1))
        for (name, brand) in [("typed.mp4", "isom"), ("typed.mov", "qt  ")] {
            let session = try #require(
                AVAssetExportSession(asset: movie, presetName: AVAssetExportPresetPassthrough))
            session.outputURL = movies.directory.file(name)
            await session.export()
            #expect(session.status == .completed, "\(String(describing: session.error))")
            let head = try FileHandle(forReadingFrom: movies.directory.file(name)).read(upToCount: 32) ?? Data()
            #expect((head.range(of: Data("qt  ".utf8)) != nil) == (brand == "qt  "))
        }
    }

    @Test func videoPreset_movie_supportsNoAudioOnlyFileType() async throws {
        let movies = try MadeMovies()
        defer { withExtendedLifetime(movies) {} }
        let url = try movies.movie(seconds: 1)
        try await onThread {
            let movie = AVURLAsset(url: url)
            for preset in [
                AVAssetExportPresetMediumQuality, AVAssetExportPresetHighestQuality, AVAssetExportPreset1280x720,
                AVAssetExportPresetHEVCHighestQuality, AVAssetExportPresetPassthrough,
            ] {
                let types = AVAssetExportSession(asset: movie, presetName: preset)?.supportedFileTypes ?? []
                #expect(types.contains(.mov) && !types.contains(.m4a), "\(preset)")
            }
            let audio = AVAssetExportSession(asset: movie, presetName: AVAssetExportPresetAppleM4A)
            #expect(audio?.supportedFileTypes == [.m4a])
        }
    }

    @Test func presetsAndFileTypes_followTheAsset() async throws {
        let movies = try MadeMovies()
        let movie = AVURLAsset(url: try movies.movie())
        let tone = movies.directory.file("tone.m4a")
        try MadeFile.copy(
            of: ["ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", "sine=d=1", "-c:a", "aac"], to: tone)
        let audio = AVURLAsset(url: tone)
        let all = AVAssetExportSession.allExportPresets()
        #expect(all.count == Set(all).count && all.contains(AVAssetExportPresetPassthrough))
        for preset in all { #expect(AVAssetExportSession(asset: movie, presetName: preset) != nil) }
        let ofAudio = try await onThread { AVAssetExportSession.exportPresets(compatibleWith: audio) }
        #expect(Set(ofAudio) == [AVAssetExportPresetPassthrough, AVAssetExportPresetAppleM4A])
        func isCompatible(_ preset: String, _ asset: AVAsset, _ type: AVFileType?) async -> Bool {
            await AVAssetExportSession.compatibility(ofExportPreset: preset, with: asset, outputFileType: type)
        }
        #expect(await isCompatible(AVAssetExportPreset1280x720, movie, .mp4))
        #expect(await !isCompatible(AVAssetExportPreset1280x720, movie, .wav))
        #expect(await !isCompatible(AVAssetExportPreset1280x720, audio, .mp4))
        #expect(await isCompatible(AVAssetExportPresetAppleM4A, audio, nil))
        #expect(await !isCompatible("none", movie, nil))
        let gate = Gate()
        AVAssetExportSession.determineCompatibility(
            ofExportPreset: AVAssetExportPresetAppleM4V720pHD, with: movie, outputFileType: .m4v
        ) {
            #expect($0)
            gate.open()
        }
        let session = try #require(AVAssetExportSession(asset: audio, presetName: AVAssetExportPresetAppleM4A))
        #expect(await session.compatibleFileTypes == [.m4a])
        session.determineCompatibleFileTypes {
            #expect($0 == [.m4a])
            gate.open()
        }
        #expect(try await onThread { gate.wait() && gate.wait() })
        let passing = try #require(AVAssetExportSession(asset: movie, presetName: AVAssetExportPresetPassthrough))
        #expect(passing.supportedFileTypes.contains(.mov) && passing.supportedFileTypes.contains(.mp4))
    }

    @Test func export_metadata_isTheAssetsOrTheChosen() async throws {
        let movies = try MadeMovies()
        let source = try movies.movie(
            "tagged.mov", seconds: 1, ["-metadata", "title=Before", "-metadata", "location=+47.3769+008.5417/"])
        let asset = AVURLAsset(url: source)
        let kept = movies.directory.file("kept.mov")
        _ = try await CompositionJudge.export(asset, to: kept, preset: AVAssetExportPresetPassthrough)
        #expect(try Probe(kept.path).format.tags?["title"] == "Before")
        let item = AVMutableMetadataItem()
        item.identifier = .commonIdentifierTitle
        item.value = "After" as NSString
        let chosen = try #require(item.copy() as? AVMetadataItem)
        for (name, type) in [("a.mov", AVFileType.mov), ("a.mp4", .mp4)] {
            let target = movies.directory.file(name)
            let session = try await CompositionJudge.export(
                asset, to: target, preset: AVAssetExportPresetPassthrough, as: type
            ) { $0.metadata = [chosen] }
            #expect(session.status == .completed)
            let tags = try #require(try Probe(target.path).format.tags)
            let title = tags["title"] ?? tags["com.apple.quicktime.title"]
            #expect(title == "After" && !tags.contains { $0.key.contains("location") }, "\(tags)")
            #expect(
                AVMetadataItem.metadataItems(
                    from: AVURLAsset(url: target).metadata, filteredByIdentifier: .commonIdentifierTitle
                ).first?.stringValue == "After")
        }
        let shared = movies.directory.file("shared.mov")
        _ = try await CompositionJudge.export(asset, to: shared, preset: AVAssetExportPresetPassthrough) {
            $0.metadataItemFilter = .forSharing()
        }
        let tags = try #require(try Probe(shared.path).format.tags)
        #expect(tags["title"] == "Before" && !tags.contains { $0.key.contains("location") }, "\(tags)")
    }
}

/// A counter of calls from any thread.
final class Counter: @unchecked Sendable {
    private let lock = NSLock()
    private var calls = 0
    func add() { lock.withLock { calls += 1 } }
    var count: Int { lock.withLock { calls } }
}

extension CompositionJudge {
    /// Exports, and calls `act` as soon as the export runs.
    static func exportLate(
        _ asset: AVAsset, to url: URL, _ act: @escaping @Sendable (AVAssetExportSession) -> Void
    ) async throws -> AVAssetExportSession {
        try await onThread {
            let session = try #require(
                AVAssetExportSession(asset: asset, presetName: AVAssetExportPresetHighestQuality))
            session.outputURL = url
            session.outputFileType = .mov
            let (gate, calls) = (Gate(), Counter())
            session.exportAsynchronously {
                calls.add()
                gate.open()
            }
            act(session)
            #expect(gate.wait() && calls.count == 1)
            return session
        }
    }
}
